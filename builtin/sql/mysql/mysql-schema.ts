import type { SqlRows, SqlSchema } from '../sql-database.ts'

const LIMIT = 1000
const WANTED = 'table_schema = database() and locate(lower(?), lower(table_name)) > 0'

const TABLES = `select table_name as \`name\`, lower(table_type) as \`type\`, table_rows as estimated_rows, engine as \`engine\`, table_comment as \`comment\`
  from information_schema.tables where ${WANTED} order by 1`
const COLUMNS = `select table_name as \`table\`, column_name as \`column\`, column_type as \`type\`, is_nullable as nullable, column_default as \`default\`,
    column_comment as \`comment\` from information_schema.columns where ${WANTED} order by table_name, ordinal_position`
const INDEXES = `select table_name as \`table\`, index_name as \`index\`, case when non_unique = 0 then 'yes' else 'no' end as \`unique\`,
    group_concat(column_name order by seq_in_index separator ', ') as \`columns\`
  from information_schema.statistics where ${WANTED} group by table_name, index_name, non_unique order by 1, 2`
const FOREIGN_KEYS = `select table_name as \`table\`, constraint_name as \`name\`,
    group_concat(column_name order by ordinal_position separator ', ') as \`columns\`, max(referenced_table_name) as refers_to,
    group_concat(referenced_column_name order by ordinal_position separator ', ') as referred_columns
  from information_schema.key_column_usage where referenced_table_name is not null and ${WANTED} group by table_name, constraint_name order by 1, 2`

/**
 * Tables of the database whose names contain the filter that `read` puts in place of `?`; at most 1000 rows of each
 * part.
 */
export async function mysqlSchema(read: (sql: string, limit: number) => Promise<SqlRows>): Promise<SqlSchema> {
  // Limited by the server too, because a half-read result would cost the connection.
  const part = async (sql: string): Promise<SqlRows> => {
    const result = await read(`${sql} limit ${LIMIT + 1}`, LIMIT + 1)
    return { ...result, rows: result.rows.slice(0, LIMIT), more: result.rows.length > LIMIT }
  }
  return {
    tables: await part(TABLES),
    columns: await part(COLUMNS),
    indexes: await part(INDEXES),
    foreign_keys: await part(FOREIGN_KEYS),
  }
}
