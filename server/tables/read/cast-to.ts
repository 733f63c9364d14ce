import { typedSql } from '../query/column-sql.ts'
import type { Duck } from '../query/duck.ts'
import type { Cast, TableColumnType } from '../shape/table-shape.ts'

const DATE_FORMATS = [null, '%d.%m.%Y', '%d/%m/%Y', '%m/%d/%Y'] as const

/**
 * How the text of a column is converted to a type that the owner has chosen: the way that fits most cells, and how many
 * it doesn't fit.
 */
export async function castTo(
  duck: Duck,
  table: string,
  index: number,
  type: TableColumnType,
): Promise<{ cast: Cast; unfit: number }> {
  const casts = castsOf(type)
  const column = `c${index}`
  const counts = casts.map((cast) => `count(${typedSql(column, cast)})`)
  const [row = []] = await duck.rows(`SELECT count(${column}), ${counts.join(', ')} FROM ${table}`)
  const [filled = 0, ...fitting] = row.map(Number)
  const most = Math.max(...fitting)
  return { cast: casts[fitting.indexOf(most)]!, unfit: filled - most }
}

function castsOf(type: TableColumnType): readonly Cast[] {
  switch (type) {
    case 'text':
      return [{ kind: 'text' }]
    case 'boolean':
      return [{ kind: 'boolean' }]
    case 'integer':
      return [false, true].map((wide) => ({ kind: 'integer', wide }))
    case 'number':
      return [false, true].map((comma) => ({ kind: 'number', scale: null, comma }))
    case 'date':
      return DATE_FORMATS.map((format) => ({ kind: 'date', format }))
    case 'datetime':
      return [false, true].map((zoned) => ({ kind: 'datetime', format: null, zoned }))
  }
}
