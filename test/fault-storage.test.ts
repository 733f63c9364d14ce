import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { startApp } from '../server/app/app.ts'
import { readConfig } from '../server/app/config.ts'
import { startTestApp, testEnvironment } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'

describe.runIf(databases.some(({ name }) => name === 'sqlite'))('the embedded database', () => {
  test('writes ahead, syncs every commit and holds foreign keys, on the very connection that serves', async () => {
    await using service = await startTestApp()
    const { db } = service.app
    const pragma = async (name: string): Promise<unknown> => {
      const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db.read)
      return Object.values(rows[0] ?? {})[0]
    }
    expect(await pragma('journal_mode')).toBe('wal')
    expect(await pragma('synchronous')).toBe(2) // FULL
    expect(await pragma('foreign_keys')).toBe(1)
    const orphan = { folder_id: 'fld_1', user_id: 'nobody', name: 'a', name_folded: 'a', created_at: 0 }
    await expect(db.write.insertInto('folder').values(orphan).execute()).rejects.toThrow(/FOREIGN KEY/)
    await expect(db.transaction((trx) => trx.insertInto('folder').values(orphan).execute())).rejects.toThrow(
      /FOREIGN KEY/,
    )
  })

  test('its files are for the owner alone, even in a folder that others may enter', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reeve-storage-'))
    try {
      await using app = await startApp(
        readConfig({ REEVE_LOG_LEVEL: 'silent', ...(await testEnvironment(folder, {})) }),
      )
      await app.db.ping()
      const files = (await readdir(folder)).filter((name) => name.startsWith('reeve.db'))
      expect(files.sort()).toEqual(['reeve.db', 'reeve.db-shm', 'reeve.db-wal'])
      for (const name of files) expect((await stat(join(folder, name))).mode & 0o077).toBe(0)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe.each(databases)('transactions on $name', (database) => {
  test('what was written before a failure is gone, and the next transaction finds the connection clean', async () => {
    await using service = await startTestApp({ database })
    const { db } = service.app
    const folder = (name: string) => ({ role_id: name, name, name_folded: name, admin: 0, builtin: 0, created_at: 0 })
    for (let i = 0; i < 30; i++) {
      const failing = db.transaction(async (trx) => {
        await trx
          .insertInto('role')
          .values(folder(`lost ${i}`))
          .execute()
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      await db.transaction((trx) =>
        trx
          .insertInto('role')
          .values(folder(`kept ${i}`))
          .execute(),
      )
    }
    const rows = await db.read.selectFrom('role').select('name').where('builtin', '=', 0).execute()
    expect(rows.map((row) => row.name).sort()).toEqual(Array.from({ length: 30 }, (_, i) => `kept ${i}`).sort())
  })
})
