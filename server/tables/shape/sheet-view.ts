import type { FilterOp } from '../../../contract/filter-ops.ts'

/** Which part of a sheet is viewed, and in which order. Columns are named by their key, ignoring case. */
export interface SheetView {
  /** Rows that contain this in any cell, ignoring case and accents. */
  readonly search?: string | undefined
  /** All of them must hold. */
  readonly filters?: readonly TableFilter[] | undefined
  /** The first has priority; empty cells come last in both directions. Equal rows stay in file order. */
  readonly sort?: readonly { readonly column: string; readonly dir: 'asc' | 'desc' }[] | undefined
  /** Only these, in this order. */
  readonly columns?: readonly string[] | undefined
}

/**
 * `eq` and `ne` are case-sensitive for text; `contains` and `starts_with` ignore case and accents, and compare the text
 * of the file. An empty cell is unequal to every value, and neither smaller nor larger.
 */
export interface TableFilter {
  readonly column: string
  readonly op: FilterOp
  /** A list for `in`, nothing for `empty` and `not_empty`. */
  readonly value?: string | number | boolean | readonly (string | number | boolean)[] | undefined
}
