import { typedRows } from '../connections/typed-rows.ts'
import type { SqlRows, SqlSchema } from '../sql-database.ts'
import { postgresColumnType } from './column-types.ts'
import type { PostgresConnection } from './postgres-connection.ts'

const LIMIT = 1000
const WANTED = `n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
  and position(lower($1) in lower(n.nspname || '.' || c.relname)) > 0`

const TABLES = `select n.nspname as schema, c.relname as name,
    case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view' when 'm' then 'materialized view' else 'foreign table' end as type,
    case when c.reltuples >= 0 then c.reltuples::bigint end as estimated_rows, pg_catalog.obj_description(c.oid, 'pg_class') as comment
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and ${WANTED} order by 1, 2`
const COLUMNS = `select n.nspname || '.' || c.relname as table, a.attname as column, pg_catalog.format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as nullable, pg_catalog.pg_get_expr(d.adbin, d.adrelid) as default, pg_catalog.col_description(c.oid, a.attnum) as comment
  from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped and ${WANTED} order by 1, a.attnum`
const INDEXES = `select n.nspname || '.' || c.relname as table, x.relname as index, i.indisprimary as primary, i.indisunique as unique,
    pg_catalog.pg_get_indexdef(i.indexrelid) as definition
  from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indrelid join pg_catalog.pg_class x on x.oid = i.indexrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where ${WANTED} order by 1, 2`
const FOREIGN_KEYS = `select n.nspname || '.' || c.relname as table, k.conname as name, pg_catalog.pg_get_constraintdef(k.oid) as definition
  from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where k.contype = 'f' and ${WANTED} order by 1, 2`

/** Tables whose `schema.name` contains `filter`, and what belongs to them; at most 1000 rows of each. */
export async function postgresSchema(connection: PostgresConnection, filter: string): Promise<SqlSchema> {
  const read = async (sql: string): Promise<SqlRows> => {
    const { fields, rows } = await connection.run(`${sql} limit ${LIMIT + 1}`, [filter])
    const columns = fields.map(({ name, dataTypeID }) => ({ name, type: postgresColumnType(dataTypeID) }))
    return typedRows(columns, rows.slice(0, LIMIT), { more: rows.length > LIMIT })
  }
  return {
    tables: await read(TABLES),
    columns: await read(COLUMNS),
    indexes: await read(INDEXES),
    foreign_keys: await read(FOREIGN_KEYS),
  }
}
