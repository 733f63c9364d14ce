import { DuckDBTypeId, StatementType, type DuckDBResult } from '@duckdb/node-api'
import { attach } from './attach.ts'
import { exactInteger, exactNumber } from '../shape/cell.ts'
import { checkQuery } from './check-query.ts'
import { nameColumns } from '../shape/column-keys.ts'
import { typedSql } from './column-sql.ts'
import { openDuck, type Duck } from './duck.ts'
import { engineFailure } from './engine-failure.ts'
import { sqlName } from '../shape/sql-text.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { QueryJob, QueryRows } from '../shape/table-job.ts'
import type { TableCell, TableColumnType } from '../shape/table-shape.ts'
import { viewSql } from './view-sql.ts'

const THREADS = 2
const MEMORY = 512
/** Characters of all cells returned. */
const TEXT_BUDGET = 8_000_000
const COLUMN_LIMIT = 500

/** Runs one SELECT over the named tables, whose columns have their types. @throws {TableError} bad_query, too_large */
export async function runQuery(job: QueryJob): Promise<QueryRows> {
  using duck = await openDuck({ threads: THREADS, memory: MEMORY, scratch: job.scratch })
  try {
    await nameTables(duck, job)
    await duck.lock()
    await checkQuery(
      duck,
      job.sql,
      job.sources.map(({ name }) => name),
    )
    const prepared = await duck.connection.prepare(job.sql)
    // The parser has already checked this; the engine has the last word.
    if (prepared.statementType !== StatementType.SELECT)
      throw new TableError('bad_query', say`Only SELECT is possible here.`)
    if (prepared.parameterCount !== job.params.length)
      throw new TableError(
        'bad_query',
        say`The SQL has ${prepared.parameterCount} parameters, and ${job.params.length} values were given.`,
      )
    if (job.params.length > 0) prepared.bind([...job.params])
    return await readRows(await prepared.stream(), job.limit)
  } catch (error) {
    throw error instanceof TableError ? error : engineFailure(error, say`The query failed`, 'bad_query')
  }
}

async function nameTables(duck: Duck, { sources }: QueryJob): Promise<void> {
  const files = [...new Set(sources.map(({ sheet }) => sheet.file))]
  for (const [i, file] of files.entries()) await attach(duck, file, `source_${i}`)
  for (const { name, sheet, view } of sources) {
    const columns = sheet.columns.map(({ key, cast }, i) => `${typedSql(`c${i}`, cast)} AS ${sqlName(key)}`)
    const table = `source_${files.indexOf(sheet.file)}.t${sheet.index}`
    const { where } = viewSql(sheet.columns, view)
    const rows = where === null ? '' : ` WHERE ${where}`
    await duck.run(`CREATE VIEW ${sqlName(name)} AS SELECT ${columns.join(', ')} FROM ${table}${rows}`)
  }
}

/** The first `limit` rows; the others are only counted. */
async function readRows(result: DuckDBResult, limit: number): Promise<QueryRows> {
  if (result.columnCount > COLUMN_LIMIT)
    throw new TableError(
      'bad_query',
      say`The result has ${result.columnCount} columns; at most ${COLUMN_LIMIT} are possible.`,
    )
  const types = result.columnTypes()
  const columns = nameColumns(result.columnNames()).map((names, i) => ({ ...names, type: shownAs(types[i]!) }))
  const rows: Record<string, TableCell>[] = []
  let budget = TEXT_BUDGET
  let total = 0
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
    total += chunk.rowCount
    if (rows.length >= limit || budget <= 0) continue
    for (const row of chunk.getRows()) {
      if (rows.length >= limit || budget <= 0) break
      const cells: Record<string, TableCell> = {}
      for (const [i, column] of columns.entries()) {
        const cell = cellFrom(row[i], column.type)
        budget -= typeof cell === 'string' ? cell.length : 8
        cells[column.key] = cell
      }
      rows.push(cells)
    }
  }
  return { columns, rows, total_rows: total }
}

function shownAs(type: { readonly typeId: DuckDBTypeId; readonly scale?: number }): TableColumnType {
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
      return 'boolean'
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.UHUGEINT:
      return 'integer'
    case DuckDBTypeId.DECIMAL:
      return type.scale === 0 ? 'integer' : 'number'
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
      return 'number'
    case DuckDBTypeId.DATE:
      return 'date'
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_S:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_NS:
    case DuckDBTypeId.TIMESTAMP_TZ:
      return 'datetime'
    default:
      return 'text'
  }
}

/** Values that are neither text nor plain numbers convert themselves to text. */
function cellFrom(value: unknown, type: TableColumnType): TableCell {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  const text = `${value as bigint}`
  if (typeof value === 'bigint') return exactInteger(text)
  if (type === 'integer') return exactInteger(text)
  if (type === 'number') return exactNumber(text)
  return type === 'datetime' ? text.replace(' ', 'T') : text
}
