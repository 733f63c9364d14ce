/** What a column of any table may contain, in both databases. */
export type Cell = string | number | null
/** Values in the order of the table's columns. */
export type Row = readonly Cell[]

export interface SnapshotTable {
  readonly name: string
  /** Sorted, so that both databases return the same rows. */
  readonly columns: readonly string[]
}

/** The whole database as it was at one moment, however much is written meanwhile. */
export interface Snapshot extends AsyncDisposable {
  /** The names of the migrations that made it, in order. */
  readonly migrations: readonly string[]
  /** A table comes after those that its rows refer to. */
  readonly tables: readonly SnapshotTable[]
  /** Table → the last number that its counter gave out: none is ever reused, not even after a restore. */
  readonly counters: Readonly<Record<string, number>>
  /** All rows of a table, in batches. Read one table after the other. */
  rows(table: SnapshotTable): AsyncIterable<readonly Row[]>
}

export const ROWS_AT_ONCE = 1000
