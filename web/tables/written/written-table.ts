import type { Table } from '../../../contract/chat.ts'
import { t } from '../../text/i18n.ts'
import type { GridRow } from '../grid/grid-source.ts'
import { readWritten } from './written-values.ts'

/** A table as it was written: plain text, cell by cell; every row is as long as `head`. */
export interface TableText {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** A table that was written as text, with the values that its cells stand for. */
export interface WrittenTable {
  readonly table: Table
  /** The cells as written, in the order of the table's rows. */
  readonly texts: readonly GridRow[]
  /** By keys of columns: the currency of amounts. */
  readonly formats: Readonly<Record<string, string>>
}

const KEY_LENGTH = 200

export function readTable({ title, head, rows }: TableText): WrittenTable {
  const keys = keysOf(head)
  const read = head.map((_, at) => readWritten(rows.map((row) => row[at] ?? '')))
  const table: Table = {
    title,
    columns: keys.map((key, at) => ({ key, label: head[at] || key, type: read[at]!.type })),
    rows: rows.map((_, row) => Object.fromEntries(keys.map((key, at) => [key, read[at]!.values[row] ?? null]))),
    total_rows: rows.length,
  }
  const texts = rows.map((row) => Object.fromEntries(keys.map((key, at) => [key, row[at] ?? ''])))
  const formats = Object.fromEntries(
    keys.flatMap((key, at) => (read[at]!.currency === undefined ? [] : [[key, read[at]!.currency]])),
  )
  return { table, texts, formats }
}

/** Its labels as keys: never empty, and each only once. */
function keysOf(head: readonly string[]): string[] {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return head.map((label, at) => {
    const key = label.slice(0, KEY_LENGTH) || t('tables.column_number', { number: at + 1 })
    let unique = key
    let count = counts.get(key) ?? 1
    while (taken.has(unique)) unique = `${key} ${++count}`
    counts.set(key, count)
    taken.add(unique)
    return unique
  })
}
