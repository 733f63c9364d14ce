import type { TableCell, TableColumn } from '../../server/tables/table-shape.ts'
import type { ReportTable } from '../tool.ts'

/** A part of an answer shows no more columns than this. */
export const SHOWN_COLUMNS = 60

/** Rows as a table part. */
export function reportTable(
  title: string,
  columns: readonly Pick<TableColumn, 'key' | 'label' | 'type'>[],
  rows: readonly Record<string, TableCell>[],
  total_rows: number,
): ReportTable {
  return { title, columns: columns.map(({ key, label, type }) => ({ key, label, type })), rows, total_rows }
}

/** What a person has to know beside the rows: what the file had wrong, and what is not shown. */
export function remarks(notices: readonly string[], columns: number): string {
  const wide =
    columns > SHOWN_COLUMNS
      ? [`Only the first ${SHOWN_COLUMNS} of ${columns} columns are shown; name those that matter.`]
      : []
  return [...wide, ...notices].map((each) => `\n${each}`).join('')
}

export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
