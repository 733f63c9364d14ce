import type { JournalLines, LogLine } from '../../../contract/host-journal.ts'

/** What is kept of a log that is followed: with more, the page would get slow, and nobody scrolls that far. */
export const KEPT_LINES = 1000

export interface JournalRow extends LogLine {
  /** Differs for each, and grows. */
  readonly key: number
  /** Lines before it that were left out. */
  readonly left_out: number
}

/** The rows with those of an event behind them, the newest last. */
export function withLines(rows: readonly JournalRow[], { lines, left_out }: JournalLines): readonly JournalRow[] {
  if (lines.length === 0) return rows
  const next = (rows.at(-1)?.key ?? 0) + 1
  const added = lines.map((line, at) => ({ ...line, key: next + at, left_out: at === 0 ? left_out : 0 }))
  return [...rows, ...added].slice(-KEPT_LINES)
}
