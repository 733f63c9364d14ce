import { isNumeric, type GridColumn } from '../grid/grid-source.ts'
import type { FilterOp, FilterValue, TableFilter } from '../grid-view.ts'

/** A filter being edited, as typed. */
export interface FilterDraft {
  readonly column: string
  readonly op: FilterOp
  readonly text: string
}

const ORDER: readonly FilterOp[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'empty', 'not_empty']
const TEXT: readonly FilterOp[] = ['contains', 'starts_with', 'eq', 'ne', 'in', 'empty', 'not_empty']
const TRUTH: readonly FilterOp[] = ['eq', 'ne', 'empty', 'not_empty']

/** The operators that make sense for a column, most common first. */
export function operatorsFor(column: Pick<GridColumn, 'type'>): readonly FilterOp[] {
  if (column.type === 'boolean') return TRUTH
  return column.type === 'text' ? TEXT : ORDER
}

export function needsValue(op: FilterOp): boolean {
  return op !== 'empty' && op !== 'not_empty'
}

/** The filter from a draft, or null when its value does not fit the column: a number, a date, or at least some text. */
export function readFilter({ column: key, op, text }: FilterDraft, column: GridColumn): TableFilter | null {
  if (!needsValue(op)) return { column: key, op }
  if (op === 'in') {
    const values = text.split(',').flatMap((one) => {
      const value = readValue(one, column)
      return value === null ? [] : [value]
    })
    return values.length === 0 ? null : { column: key, op, value: values }
  }
  const value = op === 'contains' || op === 'starts_with' ? text || null : readValue(text, column)
  return value === null ? null : { column: key, op, value }
}

function readValue(text: string, column: GridColumn): string | number | boolean | null {
  const written = text.trim()
  if (column.type === 'boolean') return written === 'true' ? true : written === 'false' ? false : null
  if (isNumeric(column)) {
    // As percent and time-of-day columns display their values.
    const percent = /^(.+)%$/.exec(written)
    if (percent !== null) {
      const value = readValue(percent[1]!, column)
      return typeof value === 'number' ? Number((value / 100).toPrecision(15)) : null
    }
    const time = /^(\d{1,2}):([0-5]\d)(?::([0-5]\d))?$/.exec(written)
    if (time !== null) return Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3] ?? 0)
    // A comma counts as a decimal separator when it can be nothing else.
    const plain = /^[+-]?\d+,\d+$/.test(written) ? written.replace(',', '.') : written.replaceAll(/[\s\u00a0_]/g, '')
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null
    // Beyond 2^53, a number would lose precision.
    const value = Number(plain)
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? plain : value
  }
  if (column.type === 'date') return /^\d{4}-\d{2}-\d{2}$/.test(written) ? written : null
  if (column.type === 'datetime') return /^\d{4}-\d{2}-\d{2}([T ].*)?$/.test(written) ? written : null
  return written === '' ? null : written
}

/** The field's value when a filter is edited. */
export function valueText(value: FilterValue | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'object' ? value.join(', ') : String(value)
}
