import { type Kysely, sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { migrate } from '../server/db/migrate.ts'
import { MIGRATIONS, type Migration } from '../server/db/migrations/index.ts'
import type { Tables } from '../server/db/schema.ts'
import { openBareDatabase } from './stage/databases/bare-database.ts'
import { openFolder } from './stage/open-folder.ts'
import { schemaOf, takenAway } from './stage/databases/schema-change.ts'
import { databases } from './stage/servers/postgres.ts'

/** What an expanding migration changes nevertheless, and why the version before does not mind. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  // Ids come from a counter, and nothing is inserted by them or refers to them.
  '0041-event-partitions': ['event: PRIMARY KEY (id) is gone'],
}

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

describe.each(databases)('kinds of migrations on $name', (database) => {
  async function open() {
    return closing.use(await openBareDatabase(await database.url(), await openFolder(closing)))
  }

  test('each is what it says: one that expands takes nothing away from the version before', async () => {
    const { db, dialect } = await open()
    const found: Record<string, readonly string[]> = {}
    let before = await schemaOf(db, dialect.name)
    for (const [i, { name, kind }] of MIGRATIONS.entries()) {
      await migrate(db, dialect, MIGRATIONS.slice(0, i + 1))
      const after = await schemaOf(db, dialect.name)
      if (kind === 'expand') found[name] = takenAway(before, after).filter((what) => !EXCEPTIONS[name]?.includes(what))
      before = after
    }
    expect(Object.fromEntries(Object.entries(found).filter(([, what]) => what.length > 0))).toEqual({})
  })

  const STATEMENTS: readonly (readonly [string, RegExp])[] = [
    ['drop table thing', /^thing$/],
    ['alter table thing drop column note', /^thing\.note$/],
    ['alter table thing rename column note to remark', /^thing\.note$/],
    ["alter table thing add column must text not null default ''", /^nothing$/],
    ['create index thing_note on thing (note)', /^nothing$/],
    ['create unique index thing_note on thing (note)', /^thing: .*unique/],
    ['alter table thing rename to things', /^thing$/],
  ]
  test.each(STATEMENTS)('%s', async (statement, expected) => {
    const { db, dialect } = await open()
    await sql`create table thing (id text primary key, note text)`.execute(db)
    const before = await schemaOf(db, dialect.name)
    await sql.raw(statement).execute(db)
    const gone = takenAway(before, await schemaOf(db, dialect.name))
    expect(gone[0] ?? 'nothing').toMatch(expected)
  })

  const add = (name: string, kind: Migration['kind'], statement: string): Migration => ({
    name,
    kind,
    up: async (trx) => void (await sql.raw(statement).execute(trx)),
  })
  const FIRST = add('0001', 'expand', 'create table one (id text)')
  const SECOND = add('0002', 'expand', 'create table two (id text)')
  const LESS = add('0003', 'contract', 'drop table one')
  const MORE = add('0004', 'expand', 'create table four (id text)')
  const names = async (db: Kysely<Tables>) =>
    (await sql<{ name: string; kind: string }>`select name, kind from migration order by name`.execute(db)).rows.map(
      ({ name, kind }) => `${name} ${kind}`,
    )

  test('what takes something away waits until nobody else is there, unless others build on it', async () => {
    const { db, dialect } = await open()
    let others = true
    const beside = { ...dialect, othersRun: () => Promise.resolve(others) }
    // An empty database is nobody's.
    await migrate(db, beside, [FIRST])
    expect(await migrate(db, beside, [FIRST, SECOND, LESS])).toMatchObject({ applied: ['0002'], contract: ['0003'] })
    expect(await names(db)).toEqual(['0001 expand', '0002 expand'])
    await expect(migrate(db, beside, [FIRST, SECOND, LESS, MORE])).rejects.toThrow(/0003 .* Stop every other process/)
    expect(await names(db)).toEqual(['0001 expand', '0002 expand'])
    expect(await migrate(db, beside, [FIRST, SECOND, LESS], 'always')).toMatchObject({
      applied: ['0003'],
      contract: [],
    })
    others = false
    await migrate(db, beside, [FIRST, SECOND, LESS, MORE])
    expect(await names(db)).toEqual(['0001 expand', '0002 expand', '0003 contract', '0004 expand'])
    // A version before that starts now: additions do not disturb it, what was taken away does.
    await expect(migrate(db, beside, [FIRST, SECOND])).rejects.toThrow(/it has 0003\)/)
    expect(await migrate(db, beside, [FIRST, SECOND, LESS])).toMatchObject({ applied: [], contract: [] })
  })

  test('the table of a version that knew no kinds gets them, and that version can still write to it', async () => {
    const { db, dialect } = await open()
    await sql`create table migration (name text primary key, at bigint not null)`.execute(db)
    await sql`insert into migration (name, at) values ('0001', 1)`.execute(db)
    await migrate(db, dialect, [FIRST, SECOND])
    await sql`insert into migration (name, at) values ('0003', 1)`.execute(db)
    expect(await names(db)).toEqual(['0001 expand', '0002 expand', '0003 expand'])
  })
})
