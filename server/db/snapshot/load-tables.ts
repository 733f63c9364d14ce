import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { makeEarlySchema } from '../early-schema.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { migrate, NewerDatabaseError } from '../migrate.ts'
import type { Tables } from '../schema.ts'
import { rebuildSearchIndex } from '../search-segments.ts'
import type { Row, Snapshot, SnapshotTable } from './snapshot.ts'

/** Values per statement; SQLite accepts 32,766, PostgreSQL 65,535. */
const VALUES_AT_ONCE = 20_000

/** The content of a snapshot, as it is read back. */
export interface StoredTables extends Pick<Snapshot, 'migrations' | 'tables' | 'counters'> {
  rows(table: SnapshotTable): AsyncIterable<readonly Row[]>
}

/**
 * Fills an empty database with the tables of a snapshot, under the schema that they were made with. The caller checks
 * whether all of them arrived; `migrate` then brings the schema up to date.
 * @throws {NewerDatabaseError} when a migration of the snapshot is unknown here
 */
export async function loadTables(db: Kysely<Tables>, dialect: Dialect, stored: StoredTables): Promise<void> {
  const known = new Set(MIGRATIONS.map(({ name }) => name))
  const unknown = stored.migrations.filter((name) => !known.has(name))
  if (unknown.length > 0) throw new NewerDatabaseError(unknown)
  const migrations = MIGRATIONS.filter(({ name }) => stored.migrations.includes(name))
  await migrate(db, dialect, migrations)
  await makeEarlySchema(db, stored.tables)
  // A migration may have inserted rows of its own.
  for (const { name } of [...stored.tables].reverse()) await sql`delete from ${sql.table(name)}`.execute(db)
  for (const table of stored.tables) {
    await db.transaction().execute(async (trx) => {
      await dialect.unhurried(trx)
      for await (const rows of stored.rows(table)) await insertRows(trx, dialect, table, rows)
    })
  }
  await setCounters(db, dialect, stored.counters)
  if (stored.migrations.includes('0005-search')) await rebuildSearchIndex(db)
}

async function insertRows(
  db: Kysely<Tables>,
  dialect: Dialect,
  { name, columns }: SnapshotTable,
  rows: readonly Row[],
): Promise<void> {
  const some = Math.max(1, Math.floor(VALUES_AT_ONCE / columns.length))
  // Numbers of counters are kept.
  const overriding = dialect.name === 'postgres' ? sql`overriding system value ` : sql``
  for (let from = 0; from < rows.length; from += some) {
    const values = rows.slice(from, from + some).map((row) => sql`(${sql.join(row)})`)
    await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))}) ${overriding}
      values ${sql.join(values)}`.execute(db)
  }
}

async function setCounters(
  db: Kysely<Tables>,
  dialect: Dialect,
  counters: Readonly<Record<string, number>>,
): Promise<void> {
  for (const [table, last] of Object.entries(counters)) {
    if (last === 0) continue
    if (dialect.name === 'sqlite') {
      await sql`delete from sqlite_sequence where name = ${table}`.execute(db)
      await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(db)
    } else {
      const { rows } = await sql<{ column: string }>`select attname as column from pg_attribute
        where attrelid = ${`"${table}"`}::regclass and attidentity <> '' and not attisdropped`.execute(db)
      await sql`select setval(pg_get_serial_sequence(${`"${table}"`}, ${rows[0]!.column}), ${last})`.execute(db)
    }
  }
}
