import fc from 'fast-check'
import { expect, test } from 'vitest'
import { iso } from './time.ts'

test('a time reads as Date writes it, over all days and years', () => {
  fc.assert(
    fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (milliseconds) => {
      expect(iso(milliseconds)).toBe(new Date(milliseconds).toISOString())
    }),
  )
  const day = Date.UTC(2026, 10, 21)
  for (const offset of [0, 1, 999, 1000, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 86_400_000, -1]) {
    expect(iso(day + offset)).toBe(new Date(day + offset).toISOString())
  }
})
