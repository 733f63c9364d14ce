import type { Table } from '../../../contract/chat.ts'
import { cut } from '../../kernel/text/plain-text.ts'

const ROW_LIMIT = 200
const CELL_LIMIT = 300

/** A table as tab-separated text for the model: labels, the first rows, and a line saying how many more there are. */
export function tableText(table: Table, max: number): string {
  const lines = [table.columns.map((column) => oneLine(column.label)).join('\t')]
  let length = 0
  let shown = 0
  for (const row of table.rows.slice(0, ROW_LIMIT)) {
    const line = table.columns.map((column) => oneLine(row[column.key] ?? '')).join('\t')
    length += line.length + 1
    if (length > max) break
    lines.push(line)
    shown++
  }
  if (shown < table.total_rows)
    lines.push(`… ${table.total_rows - shown} more rows; the person sees ${table.rows.length} of ${table.total_rows}.`)
  return `${table.title === '' ? '' : `${table.title}\n`}${lines.join('\n')}`
}

function oneLine(value: string | number | boolean): string {
  const text = String(value).replace(/[\t\r\n]+/g, ' ')
  return text.length > CELL_LIMIT ? `${cut(text, CELL_LIMIT)}…` : text
}
