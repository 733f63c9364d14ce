import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { openStage, say, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const { chat } = contract
const MISSING = 'fld_00000000000000000000000000'

describe.each(databases)('folders on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('names are trimmed, sorted, and unique for their owner in any case and with any accents', async () => {
    const { client } = await stage.member('filer')
    const made = []
    for (const name of ['  Zebra ', 'Éclair', 'апрель', 'b']) {
      made.push((await client.call(chat.createFolder, { body: { name } })).folder)
    }
    expect(made.map((folder) => folder.name)).toEqual(['Zebra', 'Éclair', 'апрель', 'b'])
    const { folders } = await client.call(chat.listConversations)
    expect(folders.map((folder) => folder.name)).toEqual(['b', 'Éclair', 'Zebra', 'апрель'])
    for (const name of ['zebra', 'ZEBRA', 'ECLAIR', 'АПРЕЛЬ']) {
      await expect(client.call(chat.createFolder, { body: { name } })).rejects.toMatchObject({
        status: 409,
        code: 'folder_exists',
      })
    }
    for (const name of ['', '   ', 'x'.repeat(81)]) {
      await expect(client.call(chat.createFolder, { body: { name } })).rejects.toMatchObject({ status: 422 })
    }
    const { client: other } = await stage.member('neighbour')
    expect((await other.call(chat.createFolder, { body: { name: 'Zebra' } })).ok).toBe(true)
  })

  test('twenty at once with one name: one is made', async () => {
    const { client } = await stage.member('racer')
    const all = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        client.call(chat.createFolder, { body: { name: i % 2 === 0 ? 'Same' : 'SAME' } }),
      ),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 409, code: 'folder_exists' })
    expect((await client.call(chat.listConversations)).folders).toHaveLength(1)
  })

  test('file, list by folder, unfile; deleting a folder unfiles and deletes nothing', async () => {
    const { client } = await stage.member('sorter')
    const { folder } = await client.call(chat.createFolder, { body: { name: 'Work' } })
    const { folder_id } = folder
    const ids = [await say(client, 'one'), await say(client, 'two'), await say(client, 'three')].map(
      (result) => result.conversation_id,
    )
    const [one, two] = ids as [string, string]
    for (const conversation_id of [one, two]) {
      const answer = await client.call(chat.assignFolder, { params: { conversation_id }, body: { folder_id } })
      expect(answer).toEqual({ ok: true, conversation_id, folder_id })
    }
    const inFolder = async () =>
      (await client.call(chat.listConversations, { query: { folder_id } })).items.map((item) => item.conversation_id)
    expect(await inFolder()).toEqual([two, one])
    expect((await client.call(chat.conversation, { params: { conversation_id: one } })).folder_id).toBe(folder_id)
    await client.call(chat.assignFolder, { params: { conversation_id: one }, body: { folder_id: null } })
    expect(await inFolder()).toEqual([two])
    // In the bin too it is unfiled, so that restoring it cannot fail.
    await client.call(chat.deleteConversation, { params: { conversation_id: two } })
    expect(await client.call(chat.deleteFolder, { params: { folder_id } })).toEqual({ ok: true, deleted: folder_id })
    await client.call(chat.restoreConversation, { params: { conversation_id: two } })
    const { items, folders } = await client.call(chat.listConversations)
    expect(folders).toEqual([])
    expect(items.map((item) => [item.conversation_id, item.folder_id])).toEqual(
      [...ids].reverse().map((id) => [id, null]),
    )
    await expect(client.call(chat.deleteFolder, { params: { folder_id } })).rejects.toMatchObject({ status: 404 })
    await client.call(chat.createFolder, { body: { name: 'work' } })
  })

  test('a folder that is foreign or not there is 404 and changes nothing', async () => {
    const [{ client: ann }, { client: bob }] = [await stage.member('ann'), await stage.member('bob')]
    const { folder } = await bob.call(chat.createFolder, { body: { name: 'Private' } })
    const { conversation_id } = await say(ann, 'hello')
    for (const folder_id of [folder.folder_id, MISSING]) {
      const filing = ann.call(chat.assignFolder, { params: { conversation_id }, body: { folder_id } })
      await expect(filing).rejects.toMatchObject({ status: 404, code: 'not_found' })
      await expect(ann.call(chat.deleteFolder, { params: { folder_id } })).rejects.toMatchObject({ status: 404 })
      expect((await ann.call(chat.listConversations, { query: { folder_id } })).items).toEqual([])
    }
    expect((await ann.call(chat.conversation, { params: { conversation_id } })).folder_id).toBeNull()
    expect((await bob.call(chat.listConversations)).folders).toEqual([folder])
  })
})
