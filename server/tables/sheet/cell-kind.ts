/**
 * The kind of a spreadsheet cell, as declared by the file. `time` is a time of day or a duration, `error` the failure
 * of a formula.
 */
export const CELL = { text: 1, number: 2, boolean: 3, date: 4, datetime: 5, time: 6, error: 7 } as const
export type CellKind = (typeof CELL)[keyof typeof CELL]

/** A row with its empty cells as null; their kind is 0. */
export interface SheetRow {
  readonly texts: readonly (string | null)[]
  readonly kinds: Uint8Array
}
