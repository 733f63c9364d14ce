import { cut } from '../../../server/kernel/text/plain-text.ts'
import type { ReportTable } from '../../tool.ts'
import type { SqlRows } from '../sql-database.ts'

const CELL_LIMIT = 2000

/** Database rows as a table of a report. Columns with the same name stay separate. */
export function rowsTable(title: string, { columns, rows }: SqlRows): ReportTable {
  const taken = new Set<string>()
  const keyed = columns.map(({ name, type }, index) => {
    let key = name === '' || name === '__proto__' ? `column_${index + 1}` : name
    for (let count = 2; taken.has(key); count++) key = `${name || 'column'}_${count}`
    taken.add(key)
    return { key, label: name === '' ? key : name, type }
  })
  return {
    title,
    columns: keyed,
    rows: rows.map((row) =>
      Object.fromEntries(
        keyed.map(({ key }, index) => {
          const value = row[index] ?? null
          return [
            key,
            typeof value === 'string' && value.length > CELL_LIMIT ? `${cut(value, CELL_LIMIT - 1)}…` : value,
          ]
        }),
      ),
    ),
  }
}
