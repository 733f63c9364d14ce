import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMAND_FOLDERS_LIMIT, COMMANDS_LIMIT } from '../contract/commands.ts'
import { contract } from '../contract/index.ts'
import { openFeed } from './stage/activity-feed.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'

const { commands } = contract
const MISSING = 'fld_00000000000000000000000000'

describe.each(databases)('quick commands on $name', (database) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp({ database })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const create = async (client: TestClient, name: string, more: { prompt?: string; folder_id?: string } = {}) =>
    (await client.call(commands.create, { body: { name, prompt: 'df -h', ...more } })).item
  const names = async (client: TestClient, query: { q?: string; limit?: number } = {}) =>
    (await client.call(commands.list, { query })).items.map(({ name }) => name)
  const folder = async (client: TestClient, name: string) =>
    (await client.call(commands.createFolder, { body: { name } })).folder.folder_id
  const refused = (status: number, code: string) => expect.objectContaining({ status, code })

  test('are saved, read, changed and deleted', async () => {
    const client = await app.as('keeper')
    expect(await client.call(commands.list)).toEqual({ items: [], folders: [], query: '', next_cursor: null })
    const folder_id = await folder(client, 'Disks')
    const body = { name: '  Free space ', prompt: ' df {{host}}\n', run_mode: 'new', folder_id }
    const { item, ok } = await client.call(commands.create, { body })
    expect({ ok, item }).toEqual({
      ok: true,
      item: {
        command_id: expect.stringMatching(/^cmd_[0-9a-z]{28}$/),
        name: 'Free space',
        prompt: ' df {{host}}\n',
        run_mode: 'new',
        folder_id,
        created_at: item.updated_at,
        updated_at: expect.any(String),
      },
    })
    expect((await client.call(commands.list)).items).toEqual([item])
    expect(await create(client, 'Plain')).toMatchObject({ run_mode: 'insert', folder_id: null })

    const params = { command_id: item.command_id }
    expect((await client.call(commands.update, { params, body: {} })).item).toEqual(item)
    await sleep(2)
    const changed = (await client.call(commands.update, { params, body: { name: 'Space', run_mode: 'send' } })).item
    expect(changed).toEqual({ ...item, name: 'Space', run_mode: 'send', updated_at: changed.updated_at })
    expect(changed.updated_at > item.updated_at).toBe(true)
    const prompted = (await client.call(commands.update, { params, body: { prompt: 'du' } })).item
    expect(prompted).toMatchObject({ name: 'Space', prompt: 'du', run_mode: 'send', folder_id })

    expect(await client.call(commands.remove, { params })).toEqual({ ok: true, deleted: item.command_id })
    expect(await names(client)).toEqual(['Plain'])
    for (const gone of [
      () => client.call(commands.remove, { params }),
      () => client.call(commands.update, { params, body: {} }),
      () => client.call(commands.assignFolder, { params, body: { folder_id: null } }),
    ]) {
      await expect(gone()).rejects.toEqual(refused(404, 'not_found'))
    }
  })

  test('with values that break a rule are refused with the code of that rule; the wrong shape is another matter', async () => {
    const client = await app.as('breaker')
    const { command_id, ...before } = await create(client, 'Kept')
    const params = { command_id }
    const cases = [
      ...['', '   ', '\n', '\u200b\u202e', 'x'.repeat(81), '🪐'.repeat(81)].map(
        (name) => ['bad_name', { name }] as const,
      ),
      ...['', ' \n\t', '\u2060', 'x'.repeat(20_001)].map((prompt) => ['bad_prompt', { prompt }] as const),
      ...['', 'SEND', 'run', 'a\0b'].map((run_mode) => ['bad_run_mode', { run_mode }] as const),
    ]
    for (const [code, wrong] of cases) {
      const body = { name: 'a', prompt: 'b', ...wrong }
      await expect(client.call(commands.create, { body })).rejects.toEqual(refused(400, code))
      await expect(client.call(commands.update, { params, body: wrong })).rejects.toEqual(refused(400, code))
    }
    const shapes = [{ name: 1 }, { prompt: null }, { run_mode: ['send'] }, { surprise: 1 }]
    for (const wrong of shapes) {
      const body = { name: 'a', prompt: 'b', ...wrong } as unknown as { name: string; prompt: string }
      await expect(client.call(commands.create, { body })).rejects.toEqual(refused(422, 'invalid_request'))
      const change = wrong as unknown as { name: string }
      await expect(client.call(commands.update, { params, body: change })).rejects.toEqual(
        refused(422, 'invalid_request'),
      )
    }
    const body = { name: 'a', prompt: 'b', folder_id: MISSING }
    await expect(client.call(commands.create, { body })).rejects.toEqual(refused(404, 'not_found'))
    expect((await client.call(commands.list)).items).toEqual([{ command_id, ...before }])
  })

  test('keep names of any kind, and replace only what no database stores', async () => {
    const client = await app.as('namer')
    const kept = [
      '🪐'.repeat(80),
      '\u202eevil\u202c',
      'עברית (RTL)',
      'e\u0301'.repeat(40),
      "'; drop table command; --",
      '<b>&amp;',
      'a\nb',
    ]
    for (const name of kept) expect((await create(client, name)).name).toBe(name)
    expect(await create(client, 'a\0b\ud800', { prompt: 'p\0\udfff' })).toMatchObject({
      name: 'a\ufffdb\ufffd',
      prompt: 'p\ufffd\ufffd',
    })
    expect(new Set(await names(client))).toEqual(new Set([...kept, 'a\ufffdb\ufffd']))
    const prompt = '🪐'.repeat(20_000)
    expect((await create(client, 'Long', { prompt })).prompt).toBe(prompt)
    expect((await client.call(commands.createFolder, { body: { name: '\ufdfa'.repeat(80) } })).folder.name).toBe(
      '\ufdfa'.repeat(80),
    )
  })

  test('are listed by name, in any case, page by page', async () => {
    const client = await app.as('lister')
    const inOrder = [
      'alpha',
      'Árbol',
      'Beta',
      'beta',
      'x'.repeat(80),
      'Ёлка',
      'елка 2',
      '🪐'.repeat(79),
      '🪐'.repeat(80),
    ]
    for (const name of inOrder.toReversed()) await create(client, name)
    const all = await names(client)
    // Equal names stand in the order in which they came.
    expect(all.slice(0, 7)).toEqual(['alpha', 'Árbol', 'beta', 'Beta', 'x'.repeat(80), 'Ёлка', 'елка 2'])
    const paged = []
    let cursor: string | undefined
    do {
      const page = await client.call(commands.list, { query: { limit: 2, cursor } })
      paged.push(...page.items.map(({ name }) => name))
      cursor = page.next_cursor ?? undefined
      // The page after one whose last command is gone by now begins where that one stood.
      if (paged.length === 2) {
        await client.call(commands.remove, { params: { command_id: page.items[1]!.command_id } })
      }
    } while (cursor !== undefined)
    expect(paged).toEqual(all)
    for (const wrong of ['x', 'YQ.cnv_1', '.cmd_', '!.cmd_0']) {
      await expect(client.call(commands.list, { query: { cursor: wrong } })).rejects.toEqual(
        refused(422, 'invalid_request'),
      )
    }
    // Bytes that are no text a database would take.
    expect(await client.call(commands.list, { query: { cursor: 'AA__.cmd_0' } })).toMatchObject({ query: '' })
  })

  test('are found by every word in name or prompt, with wildcards as letters', async () => {
    const client = await app.as('finder')
    await create(client, 'Café noir', { prompt: 'Ёлка на 95% full' })
    await create(client, 'disk_size', { prompt: 'C:\\temp {{host}}' })
    await create(client, 'diskXsize', { prompt: 'nothing 955' })
    for (const [q, found] of [
      ['CAFE', ['Café noir']],
      ['елка noir', ['Café noir']],
      ['noir nothing', []],
      ['95%', ['Café noir']],
      ['disk_', ['disk_size']],
      ['c:\\TEMP', ['disk_size']],
      ['{{host', ['disk_size']],
      ['disk', ['disk_size', 'diskXsize']],
      ['  ', ['Café noir', 'disk_size', 'diskXsize']],
    ] as const) {
      expect([q, (await names(client, { q })).sort()]).toEqual([q, [...found].sort()])
    }
    expect((await client.call(commands.list, { query: { q: 'Disk_' } })).query).toBe('Disk_')
    await expect(names(client, { q: 'a'.repeat(201) })).rejects.toEqual(refused(422, 'invalid_request'))
  })

  test('of other people are not there', async () => {
    const [ann, bob] = [await app.as('ann'), await app.as('bob')]
    const theirs = await folder(ann, 'Private')
    const { command_id, ...before } = await create(ann, 'Secret', { folder_id: theirs })
    const mine = await create(bob, 'Mine')
    const params = { command_id }
    for (const attempt of [
      () => bob.call(commands.update, { params, body: { name: 'x' } }),
      () => bob.call(commands.remove, { params }),
      () => bob.call(commands.assignFolder, { params, body: { folder_id: null } }),
      () => bob.call(commands.assignFolder, { params: { command_id: mine.command_id }, body: { folder_id: theirs } }),
      () => bob.call(commands.deleteFolder, { params: { folder_id: theirs } }),
      () => create(bob, 'x', { folder_id: theirs }),
    ]) {
      await expect(attempt()).rejects.toEqual(refused(404, 'not_found'))
    }
    expect(await names(bob, { q: 'secret' })).toEqual([])
    expect((await ann.call(commands.list)).items).toEqual([{ command_id, ...before }])
  })

  test('tell the other pages of their owner, and nobody else, at once', async () => {
    const [ann, bob] = [await app.as('teller'), await app.as('stranger')]
    await using feed = await openFeed(ann)
    await using other = await openFeed(bob)
    const { command_id } = await create(ann, 'told')
    const before = performance.now()
    await feed.until(
      ({ event, data }) => event === 'command.changed' && (data as { command_id?: string }).command_id === command_id,
    )
    expect(performance.now() - before).toBeLessThan(4000)
    const folder_id = await folder(ann, 'told')
    await feed.until(({ data }) => (data as { folder_id?: string }).folder_id === folder_id)
    await ann.call(commands.update, { params: { command_id }, body: { name: 'told' } })
    const { events } = await ann.call(contract.chat.activity)
    // What changes nothing is no change.
    expect(events.filter(({ type }) => type === 'command.changed')).toHaveLength(2)
    expect(other.received.some(({ event }) => event === 'command.changed')).toBe(false)
  })

  test('have an end: of commands and of folders', async () => {
    const client = await app.as('hoarder')
    const many = (count: number, name: string) =>
      Array.from({ length: count }, (_, i) => ({ name: `${name} ${i}`, prompt: 'x', run_mode: 'send', folder: null }))
    const folders = Array.from({ length: COMMAND_FOLDERS_LIMIT - 1 }, (_, i) => ({ name: `f${i}` }))
    const full = { version: 1 as const, folders, commands: many(COMMANDS_LIMIT - 1, 'c') }
    expect(await client.call(commands.importAll, { body: full })).toMatchObject({ created: COMMANDS_LIMIT - 1 })
    const both = await Promise.allSettled([create(client, 'last'), create(client, 'over')])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(create(client, 'over')).rejects.toEqual(refused(400, 'too_many_commands'))
    const more = { version: 1 as const, folders: [], commands: many(1, 'd') }
    await expect(client.call(commands.importAll, { body: more })).rejects.toEqual(refused(400, 'too_many_commands'))
    await folder(client, 'last')
    await expect(folder(client, 'over')).rejects.toEqual(refused(409, 'too_many_folders'))
    await expect(folder(client, 'LAST')).rejects.toEqual(refused(409, 'folder_exists'))
    const over = { ...more, folders: [{ name: 'over' }], commands: [] }
    await expect(client.call(commands.importAll, { body: over })).rejects.toEqual(refused(409, 'too_many_folders'))
    expect((await client.call(commands.exportAll)).commands).toHaveLength(COMMANDS_LIMIT)
    expect((await client.call(commands.list)).folders).toHaveLength(COMMAND_FOLDERS_LIMIT)
  })
})
