import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startInstallation, upload } from './stage/databases/backup-stage.ts'
import { runCommand } from './stage/command-line.ts'
import { openBareDatabase } from './stage/databases/bare-database.ts'
import { databases } from './stage/servers/postgres.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

async function bytesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
}

/** Ids of what no row names any more. */
async function unused(env: Record<string, string>): Promise<string[]> {
  await using bare = await openBareDatabase(env['REEVE_DATABASE_URL']!, env['REEVE_DATA_DIR']!)
  const rows = await bare.db.selectFrom('unused_object').select('object_id').where('store', '=', 'files').execute()
  return rows.map(({ object_id }) => object_id)
}

describe.each(databases)('the command line beside a service on $name', (database) => {
  test('deletes a user with files and sign-ins when that is said twice, and exports the audit log', async () => {
    const { service, env } = await startInstallation(closing, database)
    const admin = await service.as('admin')
    const anna = await service.as('anna')
    await upload(anna, 'notes.txt', 'of anna')
    expect(await bytesUnder(join(service.dataFolder, 'files'))).toHaveLength(1)

    expect(await runCommand(env, ['user', 'delete', 'anna'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^reeve: This permanently deletes anna .*--yes.*\n$/) as string,
    })
    await anna.call(contract.files.list)
    expect(await runCommand(env, ['user', 'delete', 'Anna', '--yes'])).toMatchObject({ code: 0, stderr: '' })
    await expect(anna.call(contract.files.list)).rejects.toMatchObject({ status: 401 })
    // The sweep removes the bytes ten minutes later: another process may just be reading them.
    expect(await unused(env)).toEqual(await bytesUnder(join(service.dataFolder, 'files')))
    expect(await runCommand(env, ['user', 'delete', 'admin', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/only administrator/) as string,
    })

    const file = join(service.dataFolder, 'audit.ndjson')
    const told = await runCommand(env, ['audit', 'export', file, '--json'])
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    expect(told.json()).toEqual({ ok: true, file, entries: lines.length })
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ action: 'user.deleted', details: { username: 'anna' } })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await runCommand(env, ['audit', 'export', file])).toMatchObject({ code: 1 })
    expect(await runCommand(env, ['audit', 'export', `${file}.2`, '--from', 'nonsense'])).toMatchObject({ code: 2 })
    expect(await admin.call(contract.files.list)).toMatchObject({ items: [] })
  }, 120_000)
})
