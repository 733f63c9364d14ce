import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const { commands } = contract

describe.each(databases)('folders of quick commands on $name', (database) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ database })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const create = async (client: TestClient, name: string, more: { prompt?: string; folder_id?: string } = {}) =>
    (await client.call(commands.create, { body: { name, prompt: 'df -h', ...more } })).item
  const folder = async (client: TestClient, name: string) =>
    (await client.call(commands.createFolder, { body: { name } })).folder.folder_id
  const refused = (status: number, code: string) => expect.objectContaining({ status, code })

  test('hold commands; deleting one unfiles them and deletes nothing', async () => {
    const client = await app.as('filer')
    const folder_id = await folder(client, '  Work ')
    expect((await client.call(commands.list)).folders).toEqual([{ folder_id, name: 'Work' }])
    const { command_id, updated_at } = await create(client, 'one')
    const params = { command_id }
    expect(await client.call(commands.assignFolder, { params, body: { folder_id } })).toEqual({
      ok: true,
      command_id,
      folder_id,
    })
    expect((await client.call(commands.list)).items).toMatchObject([{ command_id, folder_id, updated_at }])
    await client.call(commands.assignFolder, { params, body: { folder_id: null } })
    expect((await client.call(commands.list)).items).toMatchObject([{ folder_id: null }])
    await client.call(commands.assignFolder, { params, body: { folder_id } })
    expect(await client.call(commands.deleteFolder, { params: { folder_id } })).toEqual({
      ok: true,
      deleted: folder_id,
    })
    expect(await client.call(commands.list)).toMatchObject({ items: [{ command_id, folder_id: null }], folders: [] })
    await expect(client.call(commands.deleteFolder, { params: { folder_id } })).rejects.toEqual(
      refused(404, 'not_found'),
    )
    await expect(client.call(commands.assignFolder, { params, body: { folder_id } })).rejects.toEqual(
      refused(404, 'not_found'),
    )
  })

  test('have names of their own in any case; twenty at once make one', async () => {
    const client = await app.as('racer')
    for (const name of ['Zebra', 'Éclair', 'b']) await folder(client, name)
    expect((await client.call(commands.list)).folders.map(({ name }) => name)).toEqual(['b', 'Éclair', 'Zebra'])
    await expect(folder(client, 'ECLAIR')).rejects.toEqual(refused(409, 'folder_exists'))
    for (const name of ['', ' ', '\u200b', 'x'.repeat(81)]) {
      await expect(folder(client, name)).rejects.toEqual(refused(422, 'invalid_request'))
    }
    const all = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => folder(client, i % 2 ? 'Same' : 'SAME')))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toEqual(refused(409, 'folder_exists'))
    expect((await client.call(commands.list)).folders).toHaveLength(4)
    // Chat has folders of its own: the same name is free there.
    await client.call(contract.chat.createFolder, { body: { name: 'Zebra' } })
    await folder(await app.as('neighbour'), 'Zebra')
  })

  test('that go away while something is filed in them never cause an error', async () => {
    const client = await app.as('mover')
    for (let round = 0; round < 10; round++) {
      const { command_id } = await create(client, 'moved')
      const folder_id = await folder(client, `Round ${round}`)
      const results = await Promise.allSettled([
        client.call(commands.assignFolder, { params: { command_id }, body: { folder_id } }),
        client.call(commands.deleteFolder, { params: { folder_id } }),
        create(client, 'new', { folder_id }),
      ])
      for (const one of results) if (one.status === 'rejected') expect(one.reason).toEqual(refused(404, 'not_found'))
      expect(results[1].status).toBe('fulfilled')
    }
    expect((await client.call(commands.list)).items.every(({ folder_id }) => folder_id === null)).toBe(true)
  })
})
