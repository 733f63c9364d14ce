import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { ALLOW_COMMANDS, command, messagesOf, openStage, partsOf, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const { chat } = contract

describe.each(databases)('copies of a conversation on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const write = async (client: TestClient, conversation_id: string, format: 'json' | 'markdown') =>
    (await client.call(chat.exportConversation, { params: { conversation_id }, query: { format } })).text()
  const read = (client: TestClient, body: string) => client.call(chat.importConversation, { body })

  test('what JSON wrote comes back: branches, tool calls, tables, notices; and is found and goes on', async () => {
    const { client } = await stage.member('copy', ALLOW_COMMANDS)
    stage.play('kangaroo', [
      [
        { reasoning: 'hm' },
        { text: 'Looking 🦘.' },
        { calls: [{ name: 'system.memory', arguments: {} }, command('echo pouch')] },
      ],
      [{ text: 'A **kangaroo**.' }],
      [{ text: 'Another one.' }],
    ])
    const { conversation_id } = await say(client, 'kangaroo?')
    const [question] = await messagesOf(client, conversation_id)
    await client.call(chat.retry, { body: { conversation_id, message_id: question!.message_id } })
    const json = await write(client, conversation_id, 'json')

    const { client: friend } = await stage.member('friend')
    const copy = await read(friend, json)
    expect(copy.title).toBe('kangaroo?')
    const content = async (as: TestClient, id: string) =>
      JSON.stringify(await messagesOf(as, id), (key, value: unknown) =>
        ['message_id', 'run_id', 'siblings', 'tool_call_id', 'created_at', 'approval', 'imported'].includes(key)
          ? undefined
          : value,
      )
    expect(await content(friend, copy.conversation_id)).toBe(await content(client, conversation_id))
    const [, shown] = await messagesOf(friend, copy.conversation_id)
    const [older] = shown!.siblings
    const params = { conversation_id: copy.conversation_id }
    await friend.call(chat.chooseBranch, { params, body: { message_id: older! } })
    await client.call(chat.chooseBranch, {
      params: { conversation_id },
      body: { message_id: (await messagesOf(client, conversation_id))[1]!.siblings[0]! },
    })
    expect(await content(friend, copy.conversation_id)).toBe(await content(client, conversation_id))
    const [, answer] = await messagesOf(friend, copy.conversation_id)
    expect(partsOf(answer!, 'table').length).toBeGreaterThan(0)
    expect(partsOf(answer!, 'tool_call').map((part) => part.tool_call.status)).toEqual(['done', 'done'])

    const found = await friend.call(chat.listConversations, { query: { q: 'kangaroo' } })
    expect(found.items.map((item) => item.conversation_id)).toEqual([copy.conversation_id])
    expect(await say(friend, 'and now?', params)).toMatchObject({ answer: 'Understood.' })
    await expect(write(friend, conversation_id, 'json')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('Markdown reads like the conversation, with calls and tables', async () => {
    const { client } = await stage.member('reader')
    stage.play('ibex', [[{ calls: [{ name: 'system.memory', arguments: {} }] }], [{ text: 'Enough | memory.' }]])
    const { conversation_id } = await say(client, 'ibex memory')
    const answer = await client.call(chat.exportConversation, { params: { conversation_id }, query: {} })
    expect(answer.headers.get('content-disposition')).toContain('.md')
    const text = await answer.text()
    expect(text).toMatch(/^# ibex memory\n\n## You · \d{4}-/)
    expect(text).toContain('(`system.memory`, done)')
    expect(text).toMatch(/\| Kind \| Total \|/)
    expect(text.trimEnd().endsWith('Enough | memory.')).toBe(true)
  })

  test('what is no export is refused with a reason, and nothing of it stays', async () => {
    const { client } = await stage.member('refused')
    const { conversation_id } = await say(client, 'hello')
    const good = JSON.parse(await write(client, conversation_id, 'json')) as { messages: Record<string, unknown>[] }
    const bad: unknown[] = [
      null,
      [],
      {},
      { ...good, format: 'other' },
      { ...good, version: 2 },
      { ...good, messages: [...good.messages].reverse() },
      { ...good, messages: [...good.messages, good.messages[0]] },
      { ...good, messages: [{ ...good.messages[0], parts: [{ type: 'script', text: 'x' }] }] },
      { ...good, messages: [good.messages[0], { ...good.messages[1], created_at: 'yesterday' }] },
    ]
    for (const body of [...bad.map((value) => JSON.stringify(value)), '', '{"format":', '\uFEFF{}']) {
      await expect(read(client, body)).rejects.toMatchObject({ status: 400, code: 'bad_import' })
    }
    expect((await client.call(chat.listConversations)).items).toHaveLength(1)
    // NUL and half characters come in as what both databases can keep.
    const odd = {
      ...good,
      title: 'a\0b',
      messages: [{ ...good.messages[0], parts: [{ type: 'text', text: '\ud83d\0' }] }],
    }
    const { conversation_id: kept } = await read(client, JSON.stringify(odd))
    expect(partsOf((await messagesOf(client, kept))[0]!, 'text')[0]!.text).toBe('\uFFFD\uFFFD')
  })

  test('the bin: purged for good one by one or all at once, only one’s own', async () => {
    const { client } = await stage.member('binner')
    const { client: other } = await stage.member('other binner'.replace(' ', '-'))
    const ids = [await say(client, 'a'), await say(client, 'b'), await say(client, 'c')].map((r) => r.conversation_id)
    const gone = { code: 'not_found' }
    const purge = (as: TestClient, conversation_id: string) =>
      as.call(chat.purgeConversation, { params: { conversation_id } })
    await expect(purge(client, ids[0]!)).rejects.toMatchObject(gone)
    for (const conversation_id of ids) await client.call(chat.deleteConversation, { params: { conversation_id } })
    const bin = await client.call(chat.listConversations, { query: { deleted: 'true' } })
    expect(bin.items.map((item) => item.deleted_at !== null)).toEqual([true, true, true])
    await expect(purge(other, ids[0]!)).rejects.toMatchObject(gone)
    await purge(client, ids[0]!)
    await expect(client.call(chat.restoreConversation, { params: { conversation_id: ids[0]! } })).rejects.toMatchObject(
      gone,
    )
    expect(await other.call(chat.emptyBin)).toEqual({ ok: true, purged: 0 })
    expect(await client.call(chat.emptyBin)).toEqual({ ok: true, purged: 2 })
    for (const table of ['message', 'run', 'event', 'approval'] as const) {
      const left = await stage.app.db.read
        .selectFrom(table)
        .select('conversation_id')
        .where('conversation_id', 'in', ids)
        .execute()
      // What is left tells the owner's pages that they went to the bin, and then for good.
      expect([table, left.length]).toEqual([table, table === 'event' ? 6 : 0])
    }
  })

  test('a purge takes the files along that nothing else has', async () => {
    const { client } = await stage.member('hoarder')
    const upload = async (name: string) => {
      const headers = { 'x-file-name': name, 'content-type': 'application/octet-stream' }
      return (await client.call(contract.files.upload, { body: 'bytes', headers })).file.file_id
    }
    const [only, shared, loose] = [await upload('only.txt'), await upload('shared.txt'), await upload('loose.txt')]
    const { conversation_id } = await say(client, 'two files', { attachment_ids: [only, shared] })
    await say(client, 'one again', { attachment_ids: [shared] })
    await client.call(chat.deleteConversation, { params: { conversation_id } })
    await client.call(chat.purgeConversation, { params: { conversation_id } })
    const { items } = await client.call(contract.files.list, {})
    expect(items.map((item) => item.file_id).sort()).toEqual([shared, loose].sort())
  })

  test('folders are renamed, uniquely, and pages are told', async () => {
    const { client } = await stage.member('filer')
    const { client: other } = await stage.member('filer2')
    const { folder } = await client.call(chat.createFolder, { body: { name: 'Work' } })
    await client.call(chat.createFolder, { body: { name: 'Home' } })
    const rename = (as: TestClient, name: string) =>
      as.call(chat.updateFolder, { params: { folder_id: folder.folder_id }, body: { name } })
    await expect(rename(client, 'HOME')).rejects.toMatchObject({ code: 'folder_exists' })
    await expect(rename(other, 'Mine')).rejects.toMatchObject({ code: 'not_found' })
    expect(await rename(client, 'work')).toMatchObject({ folder: { name: 'work' } })
    const { events } = await client.call(chat.activity)
    expect(events.filter((event) => event.type === 'folder.changed')).toHaveLength(3)
  })
})
