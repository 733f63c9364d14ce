import { say, type Sentence } from '../../kernel/sentence.ts'

/** Counts gathered while a sheet was read. */
export interface SheetCounts {
  readonly hidden: boolean
  readonly merges: number
  readonly errors: number
  /** Formulas without a stored result. */
  readonly unknown: number
  /** Texts that the file references but doesn't contain. */
  readonly missing?: number
  /** Repeated rows beyond the last possible one. */
  readonly cut?: number
}

/** Sentences about what is unusual in a sheet. */
export function sheetNotices({ hidden, merges, errors, unknown, missing = 0, cut = 0 }: SheetCounts): Sentence[] {
  const notices = hidden ? [say`This sheet is hidden in the file.`] : []
  if (merges > 0) notices.push(say`Merged areas, each with its value in its first cell: ${merges}.`)
  if (errors > 0) notices.push(say`Cells that hold an error instead of a result: ${errors}.`)
  if (unknown > 0)
    notices.push(
      say`Formulas without a stored result, shown as empty: ${unknown}. Save the file in a spreadsheet program to store the results.`,
    )
  if (missing > 0) notices.push(say`Texts missing from the file: ${missing}.`)
  if (cut > 0) notices.push(say`Repeated rows beyond the last possible row, left out: ${cut}.`)
  return notices
}
