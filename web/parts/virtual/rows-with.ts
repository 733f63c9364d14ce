import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual'

/** The rows to render: those in view, plus the focused one, which must not disappear; -1 for none. */
export function rowsWith(range: Range, kept: number): number[] {
  const rows = defaultRangeExtractor(range)
  if (kept < 0 || kept >= range.count || rows.includes(kept)) return rows
  return kept < (rows[0] ?? 0) ? [kept, ...rows] : [...rows, kept]
}
