import type { FilterOp } from '../../contract/filter-ops.ts'

/** What part of a sheet is looked at, and in which order. Columns are named by their key, upper and lower case alike. */
export interface TableView {
  /** Rows with this anywhere in a cell, upper and lower case alike. */
  readonly search?: string | undefined
  /** All of them hold. */
  readonly filters?: readonly TableFilter[] | undefined
  /** The first counts most; empty cells come last in both directions. Rows that are equal stay in the order of the file. */
  readonly sort?: readonly { readonly column: string; readonly dir: 'asc' | 'desc' }[] | undefined
  /** Only these, in this order. */
  readonly columns?: readonly string[] | undefined
}

/**
 * `eq` and `ne` of text tell upper from lower case; `contains` and `starts_with` do not, and look at the text of the file. An
 * empty cell is unequal to every value, and neither smaller nor larger.
 */
export interface TableFilter {
  readonly column: string
  readonly op: FilterOp
  /** A list for `in`, nothing for `empty` and `not_empty`. */
  readonly value?: string | number | boolean | readonly (string | number | boolean)[] | undefined
}
