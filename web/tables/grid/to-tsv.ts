import type { GridCell, GridColumn, GridRow } from './grid-source.ts'

/**
 * Rows as tab-separated raw (unformatted) values, the way spreadsheets accept them from the clipboard; with a first
 * line of labels when `header` is set.
 */
export function toTsv(columns: readonly GridColumn[], rows: readonly GridRow[], header = true): string {
  const lines = header ? [columns.map((column) => tsvCell(column.label))] : []
  for (const row of rows) lines.push(columns.map((column) => tsvCell(row[column.key])))
  return lines.map((line) => line.join('\t')).join('\n')
}

function tsvCell(value: GridCell | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  // A spreadsheet evaluates text that looks like a formula.
  const text = /^[=+@-]/.test(value) && !/^-?\d+([.,]\d+)*$/.test(value) ? `'${value}` : value
  return /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
