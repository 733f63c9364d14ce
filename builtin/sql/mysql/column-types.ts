import type { ColumnType } from '../../tool.ts'
import type { MysqlField } from './mysql-connection.ts'

const INTEGERS = [1, 2, 3, 8, 9, 13]
const NUMBERS = [0, 4, 5, 246]
const BINARY = 63

/**
 * How a column of this MySQL type is shown. DATETIME has no time zone, so it isn't an instant and stays text, as does
 * TIMESTAMP, which is read in UTC.
 */
export function mysqlColumnType({ columnType }: MysqlField): ColumnType {
  if (INTEGERS.includes(columnType)) return 'integer'
  if (NUMBERS.includes(columnType)) return 'number'
  return columnType === 10 ? 'date' : 'text'
}

/** A cell as text; bytes that aren't text in hexadecimal. */
export function mysqlText(value: unknown, field: MysqlField): string | null {
  if (value === null || value === undefined) return null
  if (Buffer.isBuffer(value))
    return field.characterSet === BINARY || field.columnType === 16
      ? `0x${value.toString('hex')}`
      : value.toString('utf8')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
