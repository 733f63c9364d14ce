import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { begin, command, openStage, say, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { readSheets } from './stage/documents/exported-sheets.ts'
import { noticesOf } from './stage/notifications/telling.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'

const { reports, files, chat } = contract
const WRITES = /^(insert|update|delete)/

describe.each(databases)('a run becomes a report, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const save = (client: TestClient, run_id: string) => client.call(reports.saveReport, { params: { run_id } })
  const filesOf = async (client: TestClient) => (await client.call(files.list, {})).items
  const runOf = async (client: TestClient, conversation_id: string): Promise<string> => {
    const { messages } = await client.call(chat.conversation, { params: { conversation_id } })
    return messages.at(-1)!.run_id!
  }
  const bytesOf = async (client: TestClient, file_id: string): Promise<Buffer> =>
    Buffer.from(await (await client.fetch(`/api/files/${file_id}/download`)).arrayBuffer())

  test('its last answer as Markdown, its tables as a workbook, once however often it is asked for', async () => {
    const { client, user_id } = await stage.member('rita')
    stage.play('processes', [
      [{ text: 'I will look.' }, { calls: [{ name: 'system.processes', arguments: {} }] }],
      [{ text: '## Result\n\nAll is **well**.' }],
    ])
    const { conversation_id } = await say(client, 'Show the processes')
    const run_id = await runOf(client, conversation_id)
    const [first, ...again] = await Promise.all([save(client, run_id), save(client, run_id), save(client, run_id)])
    for (const one of again) expect(one).toEqual(first)
    const { file, table_file } = first
    const day = new Date().toISOString().slice(0, 10)
    expect(file.name).toMatch(new RegExp(`^Show the processes ${day}\\.md$`))
    expect((await filesOf(client)).map(({ name }) => name).sort()).toEqual([file.name, table_file!.name].sort())
    const text = String(await bytesOf(client, file.file_id))
    expect(text).toMatch(/^# Show the processes /)
    expect(text).toContain('## Result\n\nAll is **well**.')
    expect(text).not.toContain('I will look.')
    expect(text).toContain(table_file!.name)
    const sheets = readSheets(await bytesOf(client, table_file!.file_id))
    expect(sheets.map(({ name }) => name)).toContain('Processes')
    const { usage } = await client.call(files.list, {})
    expect(usage.bytes).toBe(file.size + table_file!.size)
    // Once it is deleted, there can be another one.
    await client.call(files.remove, { params: { file_id: file.file_id } })
    const next = await save(client, run_id)
    expect(next.file.file_id).not.toBe(file.file_id)
    const other = await stage.member('ria')
    await expect(save(other.client, run_id)).rejects.toMatchObject({ status: 404 })
    const admin = await stage.as('admin')
    const { items } = await admin.call(contract.accounts.audit, { query: { action: 'report.saved', limit: 200 } })
    expect(items.filter(({ actor_id }) => actor_id === user_id)).toHaveLength(2)
  })

  test('of a run that goes on, or that has said nothing, there is none', async () => {
    const { client } = await stage.member('ron', [{ subject: 'tool:system.run_command', effect: 'ask' }])
    stage.play('waits', [[{ calls: [command('true')] }], [{ text: 'Over.' }]])
    const { run_id, conversation_id } = await begin(client, 'It waits')
    await until(async () => (await client.call(chat.listApprovals, { query: { status: 'pending' } })).items.length > 0)
    await expect(save(client, run_id)).rejects.toMatchObject({ status: 409, code: 'run_active' })
    expect(await stage.app.unattended.reportEnded(run_id, { name: 'Nightly' })).toBe('active')
    await client.call(chat.cancel, { body: { conversation_id } })
    await expect(save(client, run_id)).rejects.toMatchObject({ status: 409, code: 'nothing_to_report' })
    expect(await stage.app.unattended.reportEnded(run_id, { name: 'Nightly' })).toBe('nothing')
    expect(await filesOf(client)).toEqual([])
    expect((await noticesOf(client)).items).toEqual([])
  })

  test('a routine’s is told once, with a link to its file, or why there is none', async () => {
    const member = await stage.member('rolf')
    const { client } = member
    stage.play('nightly', [[{ text: 'All is well.' }]])
    const { conversation_id } = await say(client, 'The nightly check')
    const run_id = await runOf(client, conversation_id)
    const ended = () => stage.app.unattended.reportEnded(run_id, { name: 'Nightly check' })
    await stage.setRules(member, [{ subject: 'files.create', effect: 'deny' }])
    expect(await ended()).toBe('failed')
    expect(await ended()).toBe('failed')
    const failed = (await noticesOf(client)).items
    expect(failed).toEqual([
      expect.objectContaining({
        event: 'routine_failed',
        name: 'Nightly check',
        path: `/chat?c=${conversation_id}`,
        detail: { reason: expect.stringContaining('Storing files is not allowed.') },
      }),
    ])
    await expect(save(client, run_id)).rejects.toMatchObject({ status: 403 })

    await stage.setRules(member, [{ subject: 'files.create', effect: 'allow' }])
    expect(await Promise.all([ended(), ended(), ended()])).toEqual(['ready', 'ready', 'ready'])
    const [file, ...more] = await filesOf(client)
    expect(more).toEqual([])
    expect(file!.name).toMatch(/^Nightly check \d{4}-\d\d-\d\d\.md$/)
    const [ready, ...before] = (await noticesOf(client)).items
    expect(before).toEqual(failed)
    expect(ready).toMatchObject({ event: 'report_ready', path: `/files?f=${file!.file_id}`, name: 'Nightly check' })
  })

  test('whichever write fails, there is no half of one, and the next try makes it', async () => {
    let failAt = Infinity
    let writes = 0
    await using service = await startTestApp({
      database,
      observe: (sql) => {
        if (failAt === Infinity || !WRITES.test(sql)) return
        if (++writes === failAt) throw new Error('a fault of the test')
      },
    })
    const client = await service.as('admin')
    const { conversation_id } = await say(client, '/system.processes')
    const run_id = await runOf(client, conversation_id)
    for (let n = 1; ; n++) {
      expect(n).toBeLessThan(60)
      writes = 0
      failAt = n
      const outcome = await service.app.unattended.reportEnded(run_id, { name: 'Nightly' }).catch(() => 'thrown')
      failAt = Infinity
      const [stored, { items }] = [await filesOf(client), await noticesOf(client)]
      const whole = stored.length > 0
      expect({ n, files: stored.length, told: items.length }).toEqual({ n, files: whole ? 2 : 0, told: whole ? 1 : 0 })
      if (whole) break
      expect(outcome).toBe('thrown')
    }
    expect(await service.app.unattended.reportEnded(run_id, { name: 'Nightly' })).toBe('ready')
    expect(await filesOf(client)).toHaveLength(2)
  })

  test('two processes make one', async () => {
    const url = stage.databaseUrl
    if (url === '') return
    const env = { REEVE_SECRET_KEY: '5e'.repeat(32) }
    await using store = await startTestApp({ database, env })
    const client = await store.as('admin')
    const { conversation_id } = await say(client, '/system.processes')
    const run_id = await runOf(client, conversation_id)
    await using second = await startTestApp({
      database: { name: 'postgres', url: async () => store.databaseUrl },
      env,
    })
    const both = [store, second, store, second].map(({ app }) =>
      app.unattended.reportEnded(run_id, { name: 'Nightly' }),
    )
    expect(await Promise.all(both)).toEqual(['ready', 'ready', 'ready', 'ready'])
    expect(await filesOf(client)).toHaveLength(2)
    expect((await noticesOf(client)).items).toHaveLength(1)
  })

  test('it counts against the quota like any file', async () => {
    await using service = await startTestApp({ database, env: { REEVE_QUOTA: '1MiB' } })
    const client = await service.as('admin')
    const { conversation_id } = await say(client, '/system.processes')
    const run_id = await runOf(client, conversation_id)
    await client.call(files.upload, { headers: { 'x-file-name': 'full.bin' }, body: Buffer.alloc(1024 * 1024 - 10) })
    await expect(save(client, run_id)).rejects.toMatchObject({ code: 'quota_exceeded' })
    expect(await service.app.unattended.reportEnded(run_id, { name: 'Nightly' })).toBe('failed')
    expect((await noticesOf(client)).items).toEqual([expect.objectContaining({ event: 'routine_failed' })])
    expect(await filesOf(client)).toHaveLength(1)
  })
})
