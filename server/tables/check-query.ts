import type { Duck } from './duck.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { TableError } from './table-error.ts'

const TABLE_FUNCTIONS = new Set(['unnest', 'range', 'generate_series'])
/** Functions that tell of the engine instead of the data. */
const FORBIDDEN =
  /^(current_setting|getvariable|getenv|nextval|currval|set_config|sleep|json_(de|execute_)?serialize|query|pg_|duckdb_|pragma_|read_|write_|which_)/i
const SYSTEM_NAME = /^(duckdb_|pragma_|sqlite_|pg_|information_schema)/i

/**
 * Refuses what is more than one SELECT over the named tables. The engine is locked as well; this says why in words, and keeps what the
 * engine tells of itself (its files, its settings) out of answers.
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
    if (parsed.error_type === 'parser') throw refuse(say`The SQL has a fault: ${parsed.error_message ?? ''}.`)
    throw refuse(say`Only SELECT is possible here (also WITH … SELECT): nothing can be written, loaded or set.`)
  }
  if (parsed.statements?.length !== 1) throw refuse(say`Exactly one SELECT statement is possible at a time.`)
  const own = new Set(tables.map((name) => name.toLowerCase()))
  const nodes = [...objectsIn(parsed.statements)]
  for (const node of nodes) {
    const { map } = (node['cte_map'] ?? {}) as { map?: { key: string }[] }
    for (const { key } of map ?? []) {
      if (SYSTEM_NAME.test(key)) throw refuse(say`"${key}" cannot be the name of a part of the query.`)
      own.add(key.toLowerCase())
    }
  }
  for (const node of nodes) checkNode(node, own, tables)
}

function checkNode(node: Record<string, unknown>, own: ReadonlySet<string>, tables: readonly string[]): void {
  if (node['type'] === 'BASE_TABLE') {
    const name = String(node['table_name'])
    if (node['schema_name'] !== '' || node['catalog_name'] !== '' || !own.has(name.toLowerCase()))
      throw refuse(
        say`There is no table "${name}" here. There are: ${tables.map((each) => JSON.stringify(each)).join(', ')}.`,
      )
  }
  if (node['type'] === 'SHOW_REF') throw refuse(say`Only SELECT is possible here; the columns are told by "describe".`)
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

/** All objects within a value. Not by recursion: a query may be nested deeper than the stack. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  const queue: unknown[] = [value]
  while (queue.length > 0) {
    const item = queue.pop()
    if (item === null || typeof item !== 'object') continue
    if (!Array.isArray(item)) yield item as Record<string, unknown>
    for (const member of Object.values(item)) if (member !== null && typeof member === 'object') queue.push(member)
  }
}

function refuse(detail: Sentence): TableError {
  return new TableError('bad_query', detail)
}
