import type { Table } from '../../contract/chat.ts'

export type TableRow = Table['rows'][number]
export type TableColumn = Table['columns'][number]
export interface TableSort {
  readonly key: string
  readonly direction: 'ascending' | 'descending'
}

/** Columns of these types hold numbers: right-aligned, sorted by value. */
export function isNumeric(column: TableColumn): boolean {
  return ['integer', 'number', 'bytes', 'percent', 'duration'].includes(column.type)
}

/** The rows that contain `filter` in any shown cell, in the order of `sort`; rows that compare equal keep their order. */
export function viewRows(
  table: Table,
  filter: string,
  sort: TableSort | null,
  format: (row: TableRow, column: TableColumn) => string,
): readonly TableRow[] {
  const wanted = fold(filter.trim())
  const found =
    wanted === ''
      ? table.rows
      : table.rows.filter((row) => table.columns.some((column) => fold(format(row, column)).includes(wanted)))
  const column = sort && table.columns.find((other) => other.key === sort.key)
  if (!sort || !column) return found
  const sign = sort.direction === 'ascending' ? 1 : -1
  return found.toSorted((a, b) => compareCells(a[column.key], b[column.key], sign))
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Empty cells come last whichever way the column is sorted. */
function compareCells(a: TableRow[string] | undefined, b: TableRow[string] | undefined, sign: 1 | -1): number {
  const aEmpty = a === null || a === undefined || a === ''
  const bEmpty = b === null || b === undefined || b === ''
  if (aEmpty || bEmpty) return Number(aEmpty) - Number(bEmpty)
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * sign
  return collator.compare(String(a), String(b)) * sign
}

/** First click ascending, second descending, third back to the order in which the rows came. */
export function nextSort(sort: TableSort | null, key: string): TableSort | null {
  if (sort?.key !== key) return { key, direction: 'ascending' }
  return sort.direction === 'ascending' ? { key, direction: 'descending' } : null
}

/** Rows as tab-separated values with a header line, raw values (not as formatted), as spreadsheets take them from the clipboard. */
export function toTsv(columns: readonly TableColumn[], rows: readonly TableRow[]): string {
  const lines = [columns.map((column) => tsvCell(column.label))]
  for (const row of rows) lines.push(columns.map((column) => tsvCell(row[column.key])))
  return lines.map((line) => line.join('\t')).join('\n')
}

function tsvCell(value: TableRow[string] | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  // A spreadsheet runs text that begins like a formula.
  const text = /^[=+@-]/.test(value) && !/^-?\d+([.,]\d+)*$/.test(value) ? `'${value}` : value
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
