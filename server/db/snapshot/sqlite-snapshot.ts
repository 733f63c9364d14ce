import { DatabaseSync } from 'node:sqlite'
import { migrationsNow } from '../early-schema.ts'
import { keptTables, NOT_OWN_SETTINGS, type Reference } from './kept-tables.ts'
import { type Row, ROWS_AT_ONCE, type Snapshot, type SnapshotTable } from './snapshot.ts'

/**
 * A snapshot of the embedded database: one read transaction on a connection of its own. Writers don't have to wait; the
 * write-ahead log grows until the snapshot is closed.
 */
export function openSqliteSnapshot(file: string): Snapshot {
  const database = new DatabaseSync(file, { timeout: 5000, readOnly: true })
  try {
    return readSnapshot(database)
  } catch (error) {
    database.close()
    throw error
  }
}

function readSnapshot(database: DatabaseSync): Snapshot {
  const texts = (sql: string) => database.prepare(sql).all() as Record<string, string>[]
  database.exec('begin')
  // The snapshot begins with the first read.
  const migrations = migrationsNow(texts('select name from migration').map((row) => row['name']!))
  const names = texts("select name from sqlite_master where type = 'table'").map((row) => row['name']!)
  const references = names.flatMap((table): Reference[] =>
    texts(`pragma foreign_key_list(${quoted(table)})`).map((row) => ({ table, to: row['table']! })),
  )
  const tables = keptTables(names, references).map((name): SnapshotTable => {
    const columns = texts(`pragma table_info(${quoted(name)})`).map((row) => row['name']!)
    return { name, columns: columns.sort() }
  })
  const known = new Set(tables.map(({ name }) => name))
  const counted = database.prepare('select name, seq from sqlite_sequence').all() as { name: string; seq: number }[]
  const counters = Object.fromEntries(counted.filter(({ name }) => known.has(name)).map(({ name, seq }) => [name, seq]))
  return {
    migrations,
    tables,
    counters,
    async *rows({ name, columns }) {
      const own = name === 'setting' ? ` where ${NOT_OWN_SETTINGS}` : ''
      const select = database.prepare(`select ${columns.map(quoted).join(', ')} from ${quoted(name)}${own}`)
      select.setReturnArrays(true)
      let rows: Row[] = []
      for (const row of select.iterate() as unknown as Iterable<Row>) {
        rows.push(row)
        if (rows.length < ROWS_AT_ONCE) continue
        yield rows
        rows = []
      }
      if (rows.length > 0) yield rows
    },
    [Symbol.asyncDispose]: async () => database.close(),
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
