import { z } from 'zod'
import { CellType, Chart, type Table } from '../../../contract/chat.ts'
import { TABLE_ROW_LIMIT } from '../../chat/ports/tools.ts'
import { cut, storable } from '../../kernel/text/plain-text.ts'

const TABLE_LIMIT = 10
const COLUMN_LIMIT = 60
const CELL_LIMIT = 2000
/** Characters in all cells of one result together, since they are sent to a browser. */
const TEXT_BUDGET = 2_000_000

const TableShape = z.object({
  title: z.string().optional(),
  columns: z
    .array(z.object({ key: z.string().min(1), label: z.string().optional(), type: z.string().optional() }))
    .min(1),
  rows: z.array(z.record(z.string(), z.unknown())),
  total_rows: z.number().int().nonnegative().optional(),
  // An invalid chart is left out; the table itself is still good.
  chart: Chart.optional().catch(undefined),
})
const Tables = z.object({ tables: z.array(TableShape).min(1) })
const TablesShape = z.union([Tables, TableShape])

/**
 * The tables in a tool's structured content: `{tables: [{title, columns: [{key, label, type}], rows, chart?: {kind, x,
 * y}}]}` or a single table of that form; none for any other shape. Bounded in tables, columns, rows and characters;
 * `total_rows` keeps how many rows there were.
 */
export function resultTables(structured: unknown): Table[] {
  const parsed = TablesShape.safeParse(structured)
  if (!parsed.success) return []
  const tables = 'tables' in parsed.data ? parsed.data.tables : [parsed.data]
  let budget = TEXT_BUDGET
  return tables.slice(0, TABLE_LIMIT).map((table) => {
    // A column named `__proto__` could not be stored as a member of a row.
    const columns = table.columns
      .filter((column) => column.key !== '__proto__')
      .slice(0, COLUMN_LIMIT)
      .map(({ key, label, type }) => ({
        key: cut(key, 200),
        label: storable(cut(label ?? key, 200)),
        type: cellType(type),
        from: key,
      }))
    const rows: Table['rows'] = []
    for (const row of table.rows.slice(0, TABLE_ROW_LIMIT)) {
      const shown: Table['rows'][number] = {}
      for (const { key, from } of columns) {
        const value = cell(Object.hasOwn(row, from) ? row[from] : null)
        budget -= typeof value === 'string' ? value.length : 8
        shown[key] = value
      }
      if (budget < 0) break
      rows.push(shown)
    }
    return {
      title: storable(cut(table.title ?? '', 200)),
      columns: columns.map(({ key, label, type }) => ({ key, label, type })),
      rows,
      total_rows: Math.max(table.total_rows ?? 0, table.rows.length),
      ...chartOf(table.chart, columns),
    }
  })
}

/**
 * What is wrong with tables that are not shown, as `place: problem`. Null for what only has the name in common, such as a
 * list of the tables of a database: without columns and rows nobody meant it to be shown.
 */
export function tablesFault(structured: unknown): string | null {
  const several = has(structured, 'tables')
  const first: unknown = several && Array.isArray(structured['tables']) ? structured['tables'][0] : structured
  if (!has(first, 'columns') || !has(first, 'rows')) return null
  const parsed = (several ? Tables : TableShape).safeParse(structured)
  const issue = parsed.error?.issues[0]
  return issue === undefined ? null : `${place(issue.path)}: ${issue.message}`
}

function has(value: unknown, name: string): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, name)
}

/** `tables[0].columns` */
function place(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
    .join('')
}

/** The chart, only if every column that it draws is shown. */
function chartOf(
  chart: z.infer<typeof Chart> | undefined,
  columns: readonly { key: string; from: string }[],
): Pick<Table, 'chart'> {
  if (chart === undefined) return {}
  const shown = new Map(columns.map(({ key, from }) => [from, key]))
  const x = shown.get(chart.x)
  const y = chart.y.flatMap((from) => shown.get(from) ?? [])
  return x === undefined || y.length < chart.y.length ? {} : { chart: { kind: chart.kind, x, y } }
}

function cellType(type: string | undefined): z.infer<typeof CellType> {
  const known = CellType.safeParse(type)
  return known.success ? known.data : 'text'
}

function cell(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return storable(cut(typeof value === 'string' ? value : JSON.stringify(value), CELL_LIMIT))
}
