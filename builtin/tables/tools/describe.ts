import { z } from 'zod'
import { sqlName } from '../../../server/tables/shape/sql-text.ts'
import type { TableCell } from '../../../server/tables/shape/table-shape.ts'
import { tool, type ReportTable } from '../../tool.ts'
import { openTable, type StoredTable, type StoredTables } from '../stored-table.ts'
import { FileInput, SheetInput } from '../table-inputs.ts'
import { countOf, remarks, reportTable, SHOWN_COLUMNS } from '../table-report.ts'

/** Beyond this many rows, distinct values are estimated: an exact count would cost more than it is worth. */
const EXACT_ROWS = 200_000

/** Describes what a table contains. */
export function describeTool(stored: StoredTables) {
  return tool({
    name: 'describe',
    title: 'Describe a table',
    description:
      'Columns of a stored table (CSV, TSV, JSON, NDJSON, Parquet, SQLite) with type, filled cells, different values, smallest and largest value, and its first rows. ' +
      'Use it before filter, aggregate, join and query: these name columns as they stand here.',
    effect: 'read',
    input: z.strictObject({
      file: FileInput,
      sheet: SheetInput,
      sample: z.int().min(0).max(100).default(10).describe('Rows to show from the beginning'),
    }),
    async run({ file, sheet, sample }, context) {
      const table = await openTable(stored, context, { file, sheet })
      const tables = [await columnTable(stored, table, context.signal)]
      if (sample > 0) {
        const request = { sheet: table.sheet, page: 1, page_size: sample }
        const page = await stored.tables.page(table.source, request, context.signal)
        tables.push(reportTable(`First rows of ${table.name}`, page.columns, page.rows, page.total_rows))
      }
      const format = [
        table.format.toUpperCase(),
        ...(table.encoding === null ? [] : [table.encoding.toUpperCase()]),
      ].join(', ')
      const others = table.sheets.length > 1 ? ` Sheet "${table.sheet}"; all sheets: ${sheetNames(table)}.` : ''
      const what = `"${table.name}" (${format}): ${countOf(table.rows, 'row')}, ${countOf(table.columns.length, 'column')}.`
      return { text: `${what}${others}${remarks(table.notices, table.columns.length)}`, tables }
    },
  })
}

async function columnTable({ tables }: StoredTables, table: StoredTable, signal: AbortSignal): Promise<ReportTable> {
  const columns = table.columns.slice(0, SHOWN_COLUMNS)
  const exact = table.rows <= EXACT_ROWS
  const facts = columns.flatMap(({ key }, i) => {
    const name = sqlName(key)
    const different = exact ? `count(DISTINCT ${name})` : `approx_count_distinct(${name})`
    return [
      `count(${name}) AS f${i}`,
      `${different} AS d${i}`,
      `CAST(min(${name}) AS VARCHAR) AS a${i}`,
      `CAST(max(${name}) AS VARCHAR) AS z${i}`,
    ]
  })
  const { source, sheet } = table
  const found = await tables.query([{ name: 't', source, sheet }], `SELECT ${facts.join(', ')} FROM t`, [], 1, signal)
  const row: Record<string, TableCell> = found.rows[0] ?? {}
  return {
    title: `Columns of ${table.name}`,
    columns: [
      { key: 'column', label: 'Column', type: 'text' },
      { key: 'type', label: 'Type', type: 'text' },
      { key: 'filled', label: 'Filled cells', type: 'integer' },
      { key: 'different', label: exact ? 'Different values' : 'Different values (about)', type: 'integer' },
      { key: 'smallest', label: 'Smallest', type: 'text' },
      { key: 'largest', label: 'Largest', type: 'text' },
    ],
    rows: columns.map(({ key, type }, i) => ({
      column: key,
      type,
      filled: row[`f${i}`] ?? 0,
      different: row[`d${i}`] ?? 0,
      smallest: row[`a${i}`] ?? null,
      largest: row[`z${i}`] ?? null,
    })),
    total_rows: table.columns.length,
  }
}

function sheetNames({ sheets }: StoredTable): string {
  const shown = sheets.slice(0, 30).map(({ name, rows }) => `"${name}" (${countOf(rows, 'row')})`)
  return sheets.length > 30 ? `${shown.join(', ')} and ${sheets.length - 30} more` : shown.join(', ')
}
