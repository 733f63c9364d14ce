import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { changeSchema } from '../server/db/postgres/change-schema.ts'
import { migrate, NewerDatabaseError } from '../server/db/migrate.ts'
import { MIGRATIONS, type Migration, type MigrationKind } from '../server/db/migrations/index.ts'
import type { Tables } from '../server/db/schema.ts'
import { startTestApp } from './stage/app.ts'
import { openBareDatabase } from './stage/databases/bare-database.ts'
import { begin } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { startProcess } from './stage/process.ts'
import { until } from './stage/wait.ts'
import { startStalledMigration } from './stage/databases/stalled-migration.ts'

const NAMES = MIGRATIONS.map((migration) => migration.name)

/** What a newer version might bring: a table and a column; `then` runs after them, in the same migration. */
function newer(
  name: string,
  then: (db: Kysely<unknown>) => Promise<void> = async () => {},
  kind: MigrationKind = 'contract',
): Migration {
  return {
    name,
    kind,
    up: async (db) => {
      await db.schema
        .createTable('thing')
        .addColumn('thing_id', 'text', (c) => c.primaryKey())
        .execute()
      await db.schema.alterTable('folder').addColumn('colour', 'text').execute()
      await db
        .updateTable('role' as never)
        .set({ name: 'changed' } as never)
        .execute()
      await then(db)
    },
  }
}

/** Every table with its columns; the search index and how events are divided are each database's own. */
async function shape(db: Kysely<Tables>): Promise<Record<string, string[]>> {
  const tables = await db.introspection.getTables()
  const found = tables.filter((table) => !/^(sqlite_|search_index|event_(passing|lasting))/.test(table.name))
  return Object.fromEntries(
    found
      .map((table) => [table.name, table.columns.map(({ name }) => name).sort()] as const)
      .sort(([a], [b]) => a.localeCompare(b)),
  )
}

function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-migrations-'))
  return {
    folder,
    backups: join(folder, 'backups'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

describe.each(databases)('migrations on $name', (database) => {
  test('an empty database gets every migration, with no backup; a second start finds nothing to do', async () => {
    using place = openFolder()
    await using opened = await openBareDatabase(await database.url(), place.folder)
    const { db, dialect } = opened
    expect(await migrate(db, dialect)).toEqual({ applied: NAMES, contract: [], backup: null })
    expect(await migrate(db, dialect)).toEqual({ applied: [], contract: [], backup: null })
    expect(readdirSync(place.backups)).toEqual([])
  })

  test('a migration that fails leaves schema and rows as they were, and those before it stand', async () => {
    using place = openFolder()
    await using opened = await openBareDatabase(await database.url(), place.folder)
    const { db, dialect } = opened
    await migrate(db, dialect)
    const role = {
      role_id: 'rol_1',
      name: 'kept',
      name_folded: 'kept',
      admin: 0,
      builtin: 0,
      created_at: 1,
      revision: 0,
      audit_reads: 'full' as const,
      elevatable: null,
    }
    await db.insertInto('role').values(role).execute()
    const before = await shape(db)
    const broken = newer('9001-broken', async (trx) => {
      await sql`insert into no_such_table values (1)`.execute(trx)
    })
    await expect(migrate(db, dialect, [...MIGRATIONS, broken])).rejects.toThrow(/no_such_table/)
    expect(await shape(db)).toEqual(before)
    expect(await db.selectFrom('role').selectAll().execute()).toEqual([role])

    const good: Migration = {
      name: '9000-good',
      kind: 'expand',
      up: async (trx) => trx.schema.createTable('good').addColumn('id', 'text').execute(),
    }
    await expect(migrate(db, dialect, [...MIGRATIONS, good, broken])).rejects.toThrow(/no_such_table/)
    expect(await shape(db)).toEqual({ ...before, good: ['id'] })
    // The repaired program goes on from there.
    expect((await migrate(db, dialect, [...MIGRATIONS, good, newer('9001-broken')])).applied).toEqual(['9001-broken'])
  })

  test('two migrations at once on one database apply each once', async () => {
    using place = openFolder()
    const url = await database.url()
    if (url === '') return // The embedded database belongs to one process.
    await using first = await openBareDatabase(url, place.folder)
    await using second = await openBareDatabase(url, place.folder)
    const both = await Promise.all([first, second].map(({ db, dialect }) => migrate(db, dialect)))
    expect(both.flatMap(({ applied }) => applied)).toEqual(NAMES)
  })

  test.runIf(database.name === 'postgres')(
    'a migration that is in the way of a transaction of another process begins anew, and the other is not disturbed',
    async () => {
      using place = openFolder()
      const url = await database.url()
      await using first = await openBareDatabase(url, place.folder)
      await using second = await openBareDatabase(url, place.folder)
      await migrate(first.db, first.dialect)
      let attempts = 0
      const crossing: Migration = {
        name: '9000-crossing',
        kind: 'expand',
        up: async (trx) => {
          attempts++
          await trx.schema.alterTable('folder').addColumn('colour', 'text').execute()
          await trx.schema.alterTable('role').addColumn('colour', 'text').execute()
        },
      }
      // Holds what the migration needs second, and then wants what it has already.
      let migrated: ReturnType<typeof migrate> | undefined
      await second.db.transaction().execute(async (trx) => {
        await sql`update role set name = name`.execute(trx)
        migrated = migrate(first.db, first.dialect, [...MIGRATIONS, crossing])
        await until(() => attempts > 0, { what: 'the migration has begun' })
        for (let i = 0; i < 20; i++) await sql`update folder set name = name`.execute(trx)
        await until(() => attempts > 1, { what: 'it begins anew' })
        await sql`update folder set name = name`.execute(trx)
      })
      expect((await migrated!).applied).toEqual(['9000-crossing'])
      expect((await shape(first.db)).role).toContain('colour')
    },
  )

  test.runIf(database.name === 'postgres')(
    'where others never let go, a change of the schema ends with a sentence',
    async () => {
      using place = openFolder()
      const url = await database.url()
      await using first = await openBareDatabase(url, place.folder)
      await using second = await openBareDatabase(url, place.folder)
      await migrate(first.db, first.dialect)
      await second.db.transaction().execute(async (trx) => {
        await sql`select 1 from folder`.execute(trx)
        const change = changeSchema(
          first.db,
          (own) => own.schema.alterTable('folder').dropColumn('name').execute(),
          500,
        )
        await expect(change).rejects.toThrow(/no moment in which the tables could be changed/)
      })
      expect((await shape(first.db)).folder).toContain('name')
    },
  )

  test('a database that a newer version wrote stops the start with one sentence', async () => {
    using place = openFolder()
    const url = await database.url()
    const options = {
      database: { name: database.name, url: () => Promise.resolve(url) },
      env: { REEVE_DATA_DIR: place.folder },
    }
    {
      await using service = await startTestApp(options)
      await begin(await service.as('admin'), 'keep this')
    }
    {
      await using opened = await openBareDatabase(url, place.folder)
      await migrate(opened.db, opened.dialect, [...MIGRATIONS, newer('9999-tomorrow')])
      await expect(migrate(opened.db, opened.dialect)).rejects.toThrow(NewerDatabaseError)
    }
    await expect(startProcess(options)).rejects.toThrow(
      /^The server ended with code 1:\nreeve: The database is newer than this program \(it has 9999-tomorrow\)\. [^\n]+$/,
    )
    {
      await using opened = await openBareDatabase(url, place.folder)
      await sql`delete from migration where name = '9999-tomorrow'`.execute(opened.db)
    }
    await using service = await startTestApp(options)
    const admin = await service.signIn('admin')
    expect((await admin.call(contract.chat.listConversations, { query: {} })).items).toHaveLength(1)
  })

  test('killed in the middle of a migration: nothing of it is there, and the next start migrates', async () => {
    using place = openFolder()
    const url = await database.url()
    const child = await startStalledMigration(url, place.folder)
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    await using opened = await openBareDatabase(url, place.folder)
    expect(Object.keys(await shape(opened.db))).toEqual(['migration'])
    expect((await migrate(opened.db, opened.dialect)).applied).toEqual(NAMES)
    expect(Object.keys(await shape(opened.db))).toContain('conversation')
  })
})

test.runIf(databases.length === 2)('both databases have the same tables with the same columns', async () => {
  const shapes = []
  for (const database of databases) {
    using place = openFolder()
    await using opened = await openBareDatabase(await database.url(), place.folder)
    await migrate(opened.db, opened.dialect)
    shapes.push(await shape(opened.db))
  }
  expect(Object.keys(shapes[0]!).length).toBeGreaterThan(20)
  expect(shapes[0]).toEqual(shapes[1])
})

test.runIf(databases.some(({ name }) => name === 'sqlite'))(
  'before an embedded database is migrated, a whole copy of it is put aside',
  async () => {
    using place = openFolder()
    await using opened = await openBareDatabase('', place.folder)
    const { db, dialect } = opened
    await migrate(db, dialect)
    const role = {
      role_id: 'rol_1',
      name: 'Ünïcode',
      name_folded: 'unicode',
      admin: 0,
      builtin: 0,
      created_at: 1,
      revision: 0,
      audit_reads: 'full' as const,
      elevatable: null,
    }
    await db.insertInto('role').values(role).execute()
    const before = await shape(db)
    const { backup } = await migrate(db, dialect, [...MIGRATIONS, newer('9000-more')])
    expect(readdirSync(place.backups).map((name) => join(place.backups, name))).toEqual([backup])
    expect(statSync(backup!).mode & 0o077).toBe(0)
    const copy = new DatabaseSync(backup!, { readOnly: true })
    try {
      expect(copy.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
      expect(copy.prepare('select * from role').all()).toEqual([role])
      const tables = copy
        .prepare(
          "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'search_index%' order by name",
        )
        .all()
      expect(tables.map(({ name }) => name)).toEqual(Object.keys(before).sort())
    } finally {
      copy.close()
    }
  },
)
