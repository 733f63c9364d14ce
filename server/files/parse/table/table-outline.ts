import { say } from '../../../kernel/sentence.ts'
import { cut, storable } from '../../../kernel/text/plain-text.ts'
import { within } from '../../../kernel/within.ts'
import type { FileText } from '../file-text.ts'
import type { PortColumn, PortPreview, PortSource, TablePort } from './table-port.ts'

/** A table with at most this many rows and characters is given whole. */
const WHOLE_ROWS = 400
const WHOLE_CHARACTERS = 40_000
/** Of a larger one: the first rows of each sheet, and the beginning of each cell. */
const SAMPLE_ROWS = 20
const SAMPLE_CELL = 200
const SHEETS = 12
const COLUMNS = 200
const NOTICES = 5
/** How long a message waits for the rows to be counted; the count continues for the next message. */
const PATIENCE_MS = 10_000

export interface OutlinedFile extends PortSource {
  readonly file_id: string
}

/**
 * Describes a table to a model: whole if it is small; else its columns with their types, its number of rows, the first
 * rows, and a hint that tools can query the rest. Never the truncated text of the file, which looks complete and isn't.
 * @throws what the engine says about a file that isn't a table
 */
export async function tableOutline(tables: TablePort, file: OutlinedFile, patience = PATIENCE_MS): Promise<FileText> {
  const described = (await within(tables.describe(file), patience))?.value ?? null
  const first = described === null ? await tables.preview(file, { rows: WHOLE_ROWS }) : null
  const sheets: (Pick<PortPreview, 'columns' | 'notices'> & { name: string; total: number | null })[] =
    described?.sheets.map(({ name, rows, columns, notices }) => ({ name, total: rows, columns, notices })) ?? [
      { name: first!.sheet, total: first!.total_rows, columns: first!.columns, notices: first!.notices },
    ]
  const count = described?.sheets.length ?? first!.sheets.length

  let room = WHOLE_CHARACTERS
  let whole = count <= SHEETS
  const blocks: string[] = []
  for (const sheet of sheets.slice(0, SHEETS)) {
    const small = sheet.total !== null && sheet.total <= WHOLE_ROWS
    const shown = first ?? (await tables.preview(file, { sheet: sheet.name, rows: small ? WHOLE_ROWS : SAMPLE_ROWS }))
    let table = small ? asTsv(shown, Infinity) : ''
    const fits = small && table.length <= room && shown.columns.length <= COLUMNS
    if (!fits) table = asTsv({ ...shown, rows: shown.rows.slice(0, SAMPLE_ROWS) }, SAMPLE_CELL)
    room -= table.length
    whole &&= fits
    const rows = sheet.total === null ? 'rows not counted yet' : `${sheet.total} rows`
    const part = fits ? 'all rows' : `the first ${Math.min(SAMPLE_ROWS, shown.rows.length)} rows`
    blocks.push(
      [
        `Sheet ${JSON.stringify(sheet.name)}: ${rows}, ${sheet.columns.length} columns`,
        `Columns: ${columnList(sheet.columns)}`,
        ...sheet.notices.slice(0, NOTICES).map((notice) => `Note: ${String(notice)}`),
        `Values, tab-separated, ${part}:`,
        table,
      ].join('\n'),
    )
  }
  const more = count > blocks.length ? [`(${count - blocks.length} more sheets are not shown)`] : []
  const hint = whole
    ? []
    : [`Only a sample is shown. The tools of the module "tables" read all of it: file ${file.file_id}.`]
  return {
    parser: 'table',
    status: whole ? 'parsed' : 'partial',
    text: storable([...hint, ...blocks, ...more].join('\n\n')),
    sheets: count,
    ...(whole
      ? {}
      : { detail: say`Given as columns, number of rows and first rows; tools of the module tables read the rest.` }),
    lasting: described !== null,
  }
}

function columnList(columns: readonly PortColumn[]): string {
  const shown = columns.slice(0, COLUMNS).map(({ key, type }) => `${cut(JSON.stringify(key), SAMPLE_CELL)} ${type}`)
  return columns.length > COLUMNS ? `${shown.join(', ')} and ${columns.length - COLUMNS} more` : shown.join(', ')
}

function asTsv({ columns, rows }: Pick<PortPreview, 'columns' | 'rows'>, cell: number): string {
  const shown = columns.slice(0, COLUMNS)
  const clean = (value: string) => cut(value, cell).replace(/[\t\r\n]+/g, ' ')
  const lines = rows.map((row) => shown.map(({ key }) => clean(String(row[key] ?? ''))).join('\t'))
  return [shown.map(({ label }) => clean(label)).join('\t'), ...lines].join('\n')
}
