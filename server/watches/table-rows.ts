import type { Table } from '../../contract/chat.ts'
import { WATCH_LIMITS } from '../../contract/watch-limits.ts'
import type { TableSource, WatchCondition, WatchValue } from '../../contract/watch-values.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { cut, storable, visible } from '../kernel/text/plain-text.ts'
import { numberOf } from './judge.ts'

type Row = Table['rows'][number]
type Cell = Row[string] | undefined

/** A row that is followed, or all of them as one (an empty name). */
export interface SeenRow {
  readonly row: string
  readonly value: WatchValue
}

/** What a table says about a source. A sentence when it cannot be told. */
export function seenRows(source: TableSource, condition: WatchCondition, table: Table): readonly SeenRow[] | Sentence {
  const missing = [source.column, source.key, ...source.where.map(({ column }) => column)].find(
    (key) => key !== null && !table.columns.some((column) => column.key === key),
  )
  if (typeof missing === 'string') return say`The table has no column “${cut(visible(missing), 100)}”.`
  if (table.total_rows > table.rows.length)
    return say`The table was cut: it has ${table.total_rows} rows. Narrow it with the tool’s arguments.`
  const rows = table.rows.filter((row) => counts(source, row))
  if (source.column === null) return [{ row: '', value: rows.length }]
  if (source.key === null) {
    const value = worst(
      rows.map((row) => valueOf(row[source.column!])),
      condition,
    )
    // No row is as good as a value that is not beyond any bound, and there is none to show.
    return value === undefined ? [] : [{ row: '', value }]
  }
  const byName = Map.groupBy(rows, (row) => nameOf(row[source.key!]))
  if (byName.size > WATCH_LIMITS.subjects)
    return say`There are ${byName.size} rows to follow; at most ${WATCH_LIMITS.subjects} can be. Choose them by conditions.`
  return [...byName].map(([row, same]) => ({
    row,
    value:
      worst(
        same.map((one) => valueOf(one[source.column!])),
        condition,
      ) ?? null,
  }))
}

function counts({ match, where }: TableSource, row: Row): boolean {
  const holds = ({ column, op, value }: TableSource['where'][number]): boolean => {
    const text = textOf(row[column])
    if (op === 'contains') return text.toLowerCase().includes(value.toLowerCase())
    return (text === value) === (op === 'is')
  }
  if (match === 'none') return true
  return match === 'any' ? where.some(holds) : where.every(holds)
}

/** The value that would cross first; undefined without any. */
function worst(values: readonly WatchValue[], { is, bound }: WatchCondition): WatchValue | undefined {
  if (is === 'equals') return values.find((value) => String(value) === String(bound)) ?? values[0]
  // One that is no number hides the others: nobody knows what it stands for.
  const unknown = values.find((value) => numberOf(value) === null)
  if (unknown !== undefined) return unknown
  return values.toSorted((a, b) => (is === 'above' ? 1 : -1) * (numberOf(b)! - numberOf(a)!))[0]
}

function valueOf(cell: Cell): WatchValue {
  if (cell === null || cell === undefined) return null
  return typeof cell === 'number' ? cell : textOf(cell)
}

function nameOf(cell: Cell): string {
  return textOf(cell) || '–'
}

function textOf(cell: Cell): string {
  return storable(cut(visible(String(cell ?? '')), WATCH_LIMITS.text))
    .replaceAll(/\s+/g, ' ')
    .trim()
}
