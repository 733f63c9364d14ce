import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { backupCommand } from '../server/cli/backup-command.ts'
import type { Command } from '../server/cli/command.ts'
import { migrateCommand } from '../server/cli/migrate-command.ts'
import { restoreCommand } from '../server/cli/restore-command.ts'
import { openTerminal } from '../server/cli/terminal.ts'
import { verifyCommand } from '../server/cli/verify-command.ts'
import { MIGRATIONS } from '../server/db/migrations/index.ts'
import { startTestApp, type TestApp } from './stage/app.ts'
import { contentOf, emptyPlace } from './stage/databases/backup-stage.ts'
import { killSecondCommit } from './stage/databases/killed-migration.ts'
import { OLD_DATABASES, OLD_PASSWORD, placeOldDatabase } from './stage/databases/old-database.ts'
import { openFolder } from './stage/open-folder.ts'
import { databases } from './stage/servers/postgres.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

/** What a person finds after the upgrade: everything that the old program stored. */
async function expectEverything(service: TestApp, name: string): Promise<void> {
  const client = service.anonymous()
  const { csrf_token } = await client.call(contract.accounts.login, {
    body: { username: 'Admin', password: OLD_PASSWORD },
  })
  client.csrfToken = csrf_token
  const { items } = await client.call(contract.chat.listConversations, { query: {} })
  const titled = items.find(({ title }) => title === 'Žluťoučký title')!
  expect(titled.pinned).toBe(true)
  expect(items).toHaveLength(2)
  const params = { conversation_id: titled.conversation_id }
  const { messages } = await client.call(contract.chat.conversation, { params, query: {} })
  const texts = messages.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : part.type)).join('|'))
  const branched = Number(name.slice(0, 1)) > 2
  expect(texts[0]).toMatch(/Nachtigall über Kraków/)
  expect(texts[0]).toContain('file')
  expect(texts[2]).toBe('/system.host {}')
  expect(texts[4]).toBe(branched ? 'third, otherwise' : 'third message')
  expect(messages).toHaveLength(6)
  // It goes on where it was.
  await client.call(contract.chat.send, { body: { message: '/system.cpu {}', ...params } })
  expect((await client.call(contract.chat.conversation, { params, query: {} })).messages).toHaveLength(8)
  const found = await client.call(contract.chat.listConversations, { query: { q: 'krakow nachtig' } })
  expect(found.items.map(({ title }) => title)).toEqual(['Žluťoučký title'])
  const { items: files } = await client.call(contract.files.list)
  expect(files.map((file) => file.name).sort()).toEqual(['two.txt', 'Ünï.csv'])
  const csv = files.find((file) => file.extension === 'csv')!
  const bytes = await client.call(contract.files.download, { params: { file_id: csv.file_id } })
  expect(await bytes.text()).toContain('Łódź')
  expect((await client.call(contract.accounts.verifyAudit)).ok).toBe(true)
}

/** The command as it was typed, in this process. */
async function run<T = Record<string, unknown>>(
  command: Command,
  env: Record<string, string>,
  positionals: string[] = [],
  values: Record<string, string | boolean> = {},
): Promise<{ code: number; value: T }> {
  const { code, value } = await command.run(
    { ...openTerminal(env, '/'), note: () => undefined, progress: () => undefined },
    { values, positionals },
  )
  return { code, value: value as T }
}

describe.each(databases)('an older database on $name', (database) => {
  test.each(OLD_DATABASES)('%s is backed up, restored, migrated and used as the operator is told', async (name) => {
    const env = await placeOldDatabase(name, database, await openFolder(closing))
    const before = await contentOf(env)
    const check = await run<{ pending: string[] }>(migrateCommand, env, [], { check: true })
    expect(check.code).toBe(check.value.pending.length > 0 ? 1 : 0)
    expect(MIGRATIONS.map((migration) => migration.name).slice(-check.value.pending.length || Infinity)).toEqual(
      check.value.pending,
    )

    const backup = await run(backupCommand, env)
    expect(backup).toMatchObject({ code: 0, value: { verified: true, missing: [], files: 2 } })
    expect({ ...(await contentOf(env)), setting: [] }).toEqual({ ...before, setting: [] })

    expect(await run(migrateCommand, env, [], { 'no-backup': true })).toMatchObject({ code: 0 })
    expect(await run(migrateCommand, env, [], { check: true })).toMatchObject({ code: 0, value: { pending: [] } })
    expect(await run(verifyCommand, env)).toMatchObject({ code: 0 })

    // The backup of the old database, in an empty place, becomes the same as the old database.
    const place = await emptyPlace(closing, database)
    const restored = await run(restoreCommand, place.env, [String(backup.value['file'])], {
      'key-file': join(env['REEVE_DATA_DIR']!, 'secret.key'),
    })
    expect(restored).toMatchObject({ code: 0 })
    // What is noted of backups, and the stop of runs that were under way, is of one place.
    const common = async (of: Record<string, string>) => ({ ...(await contentOf(of)), setting: [], run: [] })
    expect(await common(place.env)).toEqual(await common(env))

    const service = closing.use(
      await startTestApp({ database: { name: database.name, url: async () => env['REEVE_DATABASE_URL']! }, env }),
    )
    await expectEverything(service, name)
  })

  test('killed at every step of its migration goes on at the next start, and nothing is lost', async () => {
    const [first] = OLD_DATABASES
    const [killed, whole] = [await openFolder(closing), await openFolder(closing)]
    const env = await placeOldDatabase(first!, database, killed)
    const other = await placeOldDatabase(first!, database, whole)
    const before = await contentOf(env)
    let steps = 0
    while (steps <= MIGRATIONS.length && (await killSecondCommit(env['REEVE_DATABASE_URL']!, killed))) steps++
    // What came before has a commit of its own.
    expect(steps).toBe(MIGRATIONS.length - 3)
    expect(await run(migrateCommand, other, [], { 'no-backup': true })).toMatchObject({ code: 0 })
    expect(await contentOf(env)).toEqual(await contentOf(other))
    expect(await run(verifyCommand, env)).toMatchObject({ code: 0 })
    if (database.name !== 'sqlite') return
    // The copy from before the first step is the old database, whole.
    const [copy] = (await readdir(join(killed, 'backups'))).sort()
    const again = await openFolder(closing)
    await copyFile(join(killed, 'backups', copy!), join(again, 'reeve.db'))
    expect(await contentOf({ ...env, REEVE_DATA_DIR: again })).toEqual(before)
  }, 120_000)
})
