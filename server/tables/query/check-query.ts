import type { Duck } from './duck.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { scopedNodes } from './scoped-nodes.ts'
import { TableError } from '../shape/table-error.ts'

const TABLE_FUNCTIONS = new Set(['unnest', 'range', 'generate_series'])
/** Functions that reveal the engine instead of the data. */
const FORBIDDEN =
  /^(current_setting|getvariable|getenv|nextval|currval|set_config|sleep|json_(de|execute_)?serialize|query|pg_|duckdb_|pragma_|read_|write_|which_)/i
const SYSTEM_NAME = /^(duckdb_|pragma_|sqlite_|pg_|information_schema)/i

/**
 * Refuses anything other than one SELECT over the named tables. The engine is locked as well; this check gives a
 * readable reason, and keeps what the engine knows about itself (its files, its settings) out of answers.
 * @throws {TableError} bad_query
 */
export async function checkQuery(duck: Duck, sql: string, tables: readonly string[]): Promise<void> {
  const [[json] = ['{}']] = (await duck.rows('SELECT CAST(json_serialize_sql(CAST(? AS VARCHAR)) AS VARCHAR)', [
    sql,
  ])) as [string][]
  const parsed = JSON.parse(json) as {
    error: boolean
    error_type?: string
    error_message?: string
    statements?: unknown[]
  }
  if (parsed.error) {
    if (parsed.error_type === 'parser') throw refuse(say`The SQL is invalid: ${parsed.error_message ?? ''}.`)
    throw refuse(say`Only SELECT is possible here (also WITH … SELECT): nothing can be written, loaded or set.`)
  }
  if (parsed.statements?.length !== 1) throw refuse(say`Exactly one SELECT statement is possible at a time.`)
  const own = new Set(tables.map((name) => name.toLowerCase()))
  for (const { node, names } of scopedNodes(parsed.statements)) {
    for (const name of names)
      if (SYSTEM_NAME.test(name)) throw refuse(say`"${name}" cannot be the name of a part of the query.`)
    checkNode(node, new Set([...own, ...names]), tables)
  }
}

function checkNode(node: Record<string, unknown>, own: ReadonlySet<string>, tables: readonly string[]): void {
  if (node['type'] === 'BASE_TABLE') {
    const name = String(node['table_name'])
    if (node['schema_name'] !== '' || node['catalog_name'] !== '' || !own.has(name.toLowerCase()))
      throw refuse(
        say`There is no table "${name}" here. There are: ${tables.map((each) => JSON.stringify(each)).join(', ')}.`,
      )
  }
  if (node['type'] === 'SHOW_REF') throw refuse(say`Only SELECT is possible here; use "describe" to see the columns.`)
  if (node['type'] === 'TABLE_FUNCTION') {
    const name = functionName(node['function'])
    if (!TABLE_FUNCTIONS.has(name))
      throw refuse(say`The function "${name}" cannot be used here: only the named tables can be read.`)
  }
  if (node['class'] === 'FUNCTION' && FORBIDDEN.test(functionName(node)))
    throw refuse(say`The function "${functionName(node)}" cannot be used here.`)
}

function functionName(node: unknown): string {
  const { function_name: name } = (node ?? {}) as { function_name?: string }
  return (name ?? '').toLowerCase()
}

function refuse(detail: Sentence): TableError {
  return new TableError('bad_query', detail)
}
