import type { GridCell, GridColumn, GridRow } from './grid-source.ts'

/**
 * Rows as tab-separated values, raw (not as formatted), as spreadsheets take them from the clipboard; with a line of labels
 * first when `header` is set.
 */
export function toTsv(columns: readonly GridColumn[], rows: readonly GridRow[], header = true): string {
  const lines = header ? [columns.map((column) => tsvCell(column.label))] : []
  for (const row of rows) lines.push(columns.map((column) => tsvCell(row[column.key])))
  return lines.map((line) => line.join('\t')).join('\n')
}

function tsvCell(value: GridCell | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  // A spreadsheet runs text that begins like a formula.
  const text = /^[=+@-]/.test(value) && !/^-?\d+([.,]\d+)*$/.test(value) ? `'${value}` : value
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
