import { migrationsNow } from '../early-schema.ts'
import { keptTables, NOT_OWN_SETTINGS, type Reference } from './kept-tables.ts'
import { type Row, ROWS_AT_ONCE, type Snapshot, type SnapshotTable } from './snapshot.ts'
import { UNHURRIED } from '../postgres/postgres-limits.ts'
import { postgresTypes } from '../postgres/postgres-types.ts'

/** A table that is divided is one table. */
const WHOLE = `relkind in ('r', 'p') and not relispartition`
const TABLES = `select relname as name from pg_class where ${WHOLE} and relnamespace = current_schema()::regnamespace`
const REFERENCES = `select a.relname as "table", b.relname as "to" from pg_constraint
  join pg_class a on a.oid = conrelid join pg_class b on b.oid = confrelid
  where contype = 'f' and connamespace = current_schema()::regnamespace`
const COLUMNS = `select c.relname as name, a.attname as column, a.attidentity <> '' as counted from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  where ${WHOLE} and c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped`

/**
 * A snapshot of a PostgreSQL database: one transaction on a connection of its own that sees what was committed when it
 * began.
 */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const pg = (await import('pg')).default
  const client = new pg.Client({ connectionString: url, types: postgresTypes(pg), keepAlive: true })
  // The next reader learns of it from the query that fails.
  client.on('error', () => undefined)
  await client.connect()
  const all = async <T extends object>(sql: string, values: unknown[] = []) => (await client.query<T>(sql, values)).rows
  try {
    await client.query('begin isolation level repeatable read read only')
    await client.query(UNHURRIED)
    const migrations = migrationsNow(
      (await all<{ name: string }>('select name from migration')).map(({ name }) => name),
    )
    const names = (await all<{ name: string }>(TABLES)).map(({ name }) => name)
    const columns = await all<{ name: string; column: string; counted: boolean }>(COLUMNS)
    const tables = keptTables(names, await all<Reference>(REFERENCES)).map((name): SnapshotTable => {
      const own = columns.filter((each) => each.name === name).map(({ column }) => column)
      return { name, columns: own.sort() }
    })
    const counters: Record<string, number> = {}
    for (const { name, column } of columns.filter(({ counted }) => counted)) {
      if (!tables.some((table) => table.name === name)) continue
      const [sequence] = await all<{ name: string }>('select pg_get_serial_sequence($1, $2) as name', [
        quoted(name),
        column,
      ])
      const [last] = await all<{ last: number }>(
        `select case when is_called then last_value else 0 end as last from ${sequence!.name}`,
      )
      counters[name] = last!.last
    }
    return {
      migrations,
      tables,
      counters,
      async *rows({ name, columns: wanted }) {
        const own = name === 'setting' ? ` where ${NOT_OWN_SETTINGS}` : ''
        await client.query(
          `declare rows no scroll cursor for select ${wanted.map(quoted).join(', ')} from ${quoted(name)}${own}`,
        )
        for (;;) {
          const { rows } = await client.query<Row & unknown[]>({
            text: `fetch ${ROWS_AT_ONCE} from rows`,
            rowMode: 'array',
          })
          if (rows.length > 0) yield rows
          if (rows.length < ROWS_AT_ONCE) break
        }
        await client.query('close rows')
      },
      [Symbol.asyncDispose]: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
