import type { ColumnType } from '../../tool.ts'
import type { Cell, SqlRows } from '../sql-database.ts'

/**
 * Converts rows of text cells, as the database wrote them, to the types of their columns. A column stays text as a
 * whole if any of its numbers is NaN or cannot be held exactly by JavaScript, so that no digit is ever lost.
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

/** Significant digits without sign, point and exponent; for `1e21` and the like they differ from the text's. */
function digits(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^[+-]/, '').split('e')
  const [whole = '', part = ''] = mantissa.split('.')
  const all = (whole + part).replace(/^0+/, '')
  const point = whole.length - (whole + part).length + all.length + Number(exponent)
  const trimmed = all.replace(/0+$/, '')
  return trimmed === '' ? '0' : `${trimmed}@${point}`
}
