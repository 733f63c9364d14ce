import type { SheetReader } from './sheet-draft.ts'
import { sqlName, sqlText } from './sql-text.ts'
import { TableError } from './table-error.ts'
import { say } from '../kernel/sentence.ts'
import { COLUMN_LIMIT } from './table-shape.ts'

/** Parquet: columns with types of their own; lists and structures become JSON text. */
export const readParquet: SheetReader = async ({ duck, path }) => {
  const from = `read_parquet(${sqlText(path)})`
  const described = await duck.rows(`DESCRIBE SELECT * FROM ${from}`)
  if (described.length > COLUMN_LIMIT)
    throw new TableError(
      'too_large',
      say`This table has ${described.length} columns; at most ${COLUMN_LIMIT} can be read.`,
    )
  const columns = described.map(([name, type]) => ({ label: String(name), type: String(type) }))
  const cells = columns.map(({ label, type }, i) => {
    const nested = /^(STRUCT|MAP|UNION)|\]$/.test(type)
    return `CAST(${nested ? `to_json(${sqlName(label)})` : sqlName(label)} AS VARCHAR) AS c${i}`
  })
  return {
    encoding: null,
    delimiter: null,
    sheets: [
      {
        name: 'Sheet1',
        columns: columns.map(({ label, type }) => ({ label, text: type === 'VARCHAR' || type === 'BLOB' })),
        select: `SELECT ${cells.join(', ')} FROM ${from}`,
        notices: [],
      },
    ],
  }
}
