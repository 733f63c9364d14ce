import type { ColumnType } from '../../tool.ts'
import type { Cell, SqlRows } from '../sql-database.ts'

/**
 * Rows whose cells are texts as the database wrote them, turned into what their columns are. A column with a number that JavaScript
 * cannot hold exactly, or that is none (NaN), stays text as a whole: no digit is ever lost.
 */
export function typedRows(
  columns: readonly { name: string; type: ColumnType }[],
  texts: readonly (readonly (string | null)[])[],
  more: { more: boolean; too_large?: boolean },
): SqlRows {
  const exact = columns.map(({ type }, index) => {
    if (type !== 'integer' && type !== 'number') return type
    return texts.every((row) => isExact(row[index] ?? null)) ? type : ('text' as const)
  })
  return {
    columns: columns.map(({ name }, index) => ({ name, type: exact[index]! })),
    rows: texts.map((row) => row.map((text, index) => cell(text, exact[index]!))),
    ...more,
  }
}

function cell(text: string | null, type: ColumnType): Cell {
  if (text === null) return null
  if (type === 'integer' || type === 'number') return Number(text)
  return type === 'boolean' ? text === 't' || text === '1' || text === 'true' : text
}

function isExact(text: string | null): boolean {
  if (text === null) return true
  const number = Number(text)
  if (text === '' || !Number.isFinite(number)) return false
  return digits(String(number)) === digits(text)
}

/** Significant digits without sign, point and exponent; `1e21` and its like have others than the text. */
function digits(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^[+-]/, '').split('e')
  const [whole = '', part = ''] = mantissa.split('.')
  const all = (whole + part).replace(/^0+/, '')
  const point = whole.length - (whole + part).length + all.length + Number(exponent)
  const trimmed = all.replace(/0+$/, '')
  return trimmed === '' ? '0' : `${trimmed}@${point}`
}
