import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual'

/** The rows to render, in order: those in view, plus those that must not disappear; -1 for none. */
export function rowsWith(range: Range, ...kept: readonly number[]): number[] {
  const rows = new Set(defaultRangeExtractor(range))
  for (const index of kept) if (index >= 0 && index < range.count) rows.add(index)
  return [...rows].sort((a, b) => a - b)
}
