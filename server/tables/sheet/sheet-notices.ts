/** What was counted while a sheet was read. */
export interface SheetCounts {
  readonly hidden: boolean
  readonly merges: number
  readonly errors: number
  /** Formulas without a stored result. */
  readonly unknown: number
  /** Texts that the file names and does not have. */
  readonly missing?: number
  /** Repeated rows beyond the last possible one. */
  readonly cut?: number
}

/** Sentences about what is special in a sheet. */
export function sheetNotices({ hidden, merges, errors, unknown, missing = 0, cut = 0 }: SheetCounts): string[] {
  const notices = hidden ? ['This sheet is hidden in the file.'] : []
  const say = (count: number, one: string, many: string): void => {
    if (count > 0) notices.push(`${count} ${count === 1 ? one : many}`)
  }
  say(merges, 'merged area: its value stands in its first cell.', 'merged areas: each value stands in the first cell.')
  say(errors, 'cell holds an error instead of a result.', 'cells hold an error instead of a result.')
  say(
    unknown,
    'formula has no stored result and shows as empty. Save the file in a spreadsheet program to store it.',
    'formulas have no stored result and show as empty. Save the file in a spreadsheet program to store them.',
  )
  say(missing, 'text is missing in the file.', 'texts are missing in the file.')
  say(
    cut,
    'repeated row lies beyond the last possible row and was left out.',
    'repeated rows lie beyond the last possible row and were left out.',
  )
  return notices
}
