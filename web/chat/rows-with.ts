import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual'

/** The rows to draw: those in sight, and one more that must not disappear (it has the focus); -1 for none. */
export function rowsWith(range: Range, kept: number): number[] {
  const rows = defaultRangeExtractor(range)
  if (kept < 0 || kept >= range.count || rows.includes(kept)) return rows
  return kept < (rows[0] ?? 0) ? [kept, ...rows] : [...rows, kept]
}
