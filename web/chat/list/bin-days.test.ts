import { expect, test } from 'vitest'
import { daysLeft } from './bin-days.ts'

test('counts days down to none', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  expect(daysLeft('2026-03-01T12:00:00Z', now)).toBe(30)
  expect(daysLeft('2026-03-01T11:00:00Z', now)).toBe(30)
  expect(daysLeft('2026-01-30T13:00:00Z', now)).toBe(1)
  expect(daysLeft('2026-01-01T00:00:00Z', now)).toBe(0)
})
