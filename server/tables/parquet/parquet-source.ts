import { join } from 'node:path'
import { rawLz4 } from './raw-lz4.ts'
import type { SheetReader } from '../draft/sheet-draft.ts'
import { sqlName, sqlText } from '../shape/sql-text.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'
import { COLUMN_LIMIT } from '../shape/table-shape.ts'

/** Parquet: columns with types of their own; lists and structures become JSON text. */
export const readParquet: SheetReader = async ({ duck, path, scratch, rows, allowance }) => {
  const from = `read_parquet(${sqlText(rawLz4(path, join(scratch, 'raw-lz4.parquet')))})`
  const described = await duck.rows(`DESCRIBE SELECT * FROM ${from}`)
  if (described.length > COLUMN_LIMIT)
    throw new TableError(
      'too_large',
      say`This table has ${described.length} columns; at most ${COLUMN_LIMIT} can be read.`,
    )
  if (rows === null) {
    const [[count] = [0n]] = (await duck.rows(`SELECT count(*) FROM ${from}`)) as [bigint][]
    allowance.spendRows(Number(count))
  }
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
