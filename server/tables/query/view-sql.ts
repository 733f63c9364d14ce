import { typedSql } from './column-sql.ts'
import { foldPattern } from './fold-pattern.ts'
import { findColumn } from '../shape/find-column.ts'
import { sqlText } from '../shape/sql-text.ts'
import { TableError } from '../shape/table-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { PreparedColumn } from '../shape/table-shape.ts'
import type { FilterOp } from '../../../contract/filter-ops.ts'
import type { TableFilter, SheetView } from '../shape/sheet-view.ts'

export interface ViewSql {
  /** Indexes of the columns shown, in order. */
  readonly columns: readonly number[]
  /** A condition, or null for all rows. */
  readonly where: string | null
  /** Terms of ORDER BY, or null for file order. */
  readonly order: string | null
}

const COMPARISONS: Partial<Record<FilterOp, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' }

/**
 * A view as SQL over the text columns `c0`, `c1`, …. Values are embedded as literals that cannot be escaped. Text is
 * sorted as readers of `language` (BCP 47) expect, with embedded numbers by value, as Intl.Collator does. @throws
 * {TableError} bad_view
 */
export function viewSql(columns: readonly PreparedColumn[], view: SheetView, language = 'und'): ViewSql {
  const collation = sqlText(`${/^[a-z]{2,3}$/.test(language) ? language : 'und'}-u-kn-true`)
  const place = (key: string): number => columns.indexOf(findColumn(columns, key))
  const shown = view.columns === undefined ? columns.map((_, i) => i) : view.columns.map(place)
  const conditions = (view.filters ?? []).map((filter) =>
    filterSql(place(filter.column), findColumn(columns, filter.column), filter),
  )
  if (view.search !== undefined && view.search !== '') conditions.push(searchSql(columns, view.search))
  const order = (view.sort ?? []).map(({ column, dir }) => {
    const { cast, type } = findColumn(columns, column)
    const text = `c${place(column)}`
    const direction = `${dir === 'desc' ? 'DESC' : 'ASC'} NULLS LAST`
    return type === 'text'
      ? `icu_sort_key(${text}, ${collation}) ${direction}, ${text} ${direction}`
      : `${typedSql(text, cast)} ${direction}`
  })
  return {
    columns: shown,
    where: conditions.length === 0 ? null : conditions.map((each) => `(${each})`).join(' AND '),
    order: order.length === 0 ? null : `${order.join(', ')}, rowid`,
  }
}

/** A condition: the cell contains the text, or starts with it; ignoring case and accents. */
function foundSql(text: string, wanted: string, start = false): string {
  const pattern = foldPattern(wanted)
  if (pattern === null) return `${start ? 'starts_with' : 'contains'}(${text}, ${sqlText(wanted)})`
  return `regexp_matches(${text}, ${sqlText(start ? `\\A(?:${pattern})` : pattern)})`
}

/** Columns that cannot contain the text are skipped: reading them is the cost of a search. */
function searchSql(columns: readonly PreparedColumn[], search: string): string {
  const plain = /^[0-9.,:+/ -]+$/.test(search)
  const terms = columns.flatMap(({ type, written }, i) => {
    if (written === true) return [foundSql(`o${i}`, search)]
    if (plain) return type === 'boolean' ? [] : [`contains(c${i}, ${sqlText(search)})`]
    const possible = type === 'text' || (type === 'boolean' ? /^[a-z]+$/i : /^[0-9.,:+/ etz-]+$/i).test(search)
    return possible ? [foundSql(`c${i}`, search)] : []
  })
  return terms.length === 0 ? 'false' : terms.map((term) => `coalesce(${term}, false)`).join(' OR ')
}

function filterSql(place: number, column: PreparedColumn, filter: TableFilter): string {
  const { op, value } = filter
  const text = `c${place}`
  const stands = column.written === true ? `o${place}` : text
  if (op === 'empty') return `${text} IS NULL`
  if (op === 'not_empty') return `${text} IS NOT NULL`
  if (op === 'in') {
    if (!Array.isArray(value)) throw bad(column, say`The operator "in" needs a list of values.`)
    const values = value as readonly (string | number | boolean)[]
    if (values.length === 0) return 'false'
    return `coalesce(${typedSql(text, column.cast)} IN (${values.map((each) => literal(column, each)).join(', ')}), false)`
  }
  if (value === undefined || typeof value === 'object') throw bad(column, say`The operator "${op}" needs one value.`)
  if (op === 'contains') return `coalesce(${foundSql(stands, String(value))}, false)`
  if (op === 'starts_with') return `coalesce(${foundSql(stands, String(value), true)}, false)`
  const typed = typedSql(text, column.cast)
  if (op === 'eq') return `coalesce(${typed} = ${literal(column, value)}, false)`
  if (op === 'ne') return `${typed} IS DISTINCT FROM ${literal(column, value)}`
  return `coalesce(${typed} ${COMPARISONS[op]!} ${literal(column, value)}, false)`
}

/** A value as SQL of the column's type. */
function literal(column: PreparedColumn, value: string | number | boolean): string {
  const text = String(value).trim()
  switch (column.type) {
    case 'text':
      return sqlText(String(value))
    case 'integer':
    case 'number':
      if (/^[+-]?\d{1,18}$/.test(text)) return `CAST(${sqlText(text)} AS BIGINT)`
      if (/^[+-]?\d{19,37}$/.test(text)) return `CAST(${sqlText(text)} AS HUGEINT)`
      if (/^[+-]?\d{1,18}\.\d{1,18}$/.test(text) && column.cast.kind === 'number' && column.cast.scale !== null)
        return `CAST(${sqlText(text)} AS DECIMAL(38,18))`
      if (text !== '' && Number.isFinite(Number(text))) return `CAST(${sqlText(String(Number(text)))} AS DOUBLE)`
      throw bad(column, say`It holds numbers, and ${JSON.stringify(value)} is not one.`)
    case 'boolean':
      if (/^(true|false)$/i.test(text)) return text.toLowerCase()
      throw bad(column, say`It holds true or false, and ${JSON.stringify(value)} is neither.`)
    case 'date':
    case 'datetime': {
      const time = /^(\d{4}-\d{2}-\d{2})([T ](\d{2}:\d{2})(:\d{2}(\.\d{1,6})?)?Z?)?$/.exec(text)
      if (time === null || Number.isNaN(Date.parse(time[1]!)))
        throw bad(column, say`It holds dates, and ${JSON.stringify(value)} is not one; write 2026-01-31.`)
      return `CAST(${sqlText(`${time[1]}${(time[2] ?? '').replace('T', ' ').replace('Z', '')}`)} AS TIMESTAMP)`
    }
  }
}

function bad(column: PreparedColumn, why: Sentence): TableError {
  return new TableError('bad_view', say`The column "${column.key}" cannot be filtered like this. ${why}`)
}
