import { expect, test } from 'vitest'
import { everyDay } from './usage-days.ts'

test('days without use are there, the oldest first, and none twice', () => {
  const used = { day: '2026-02-28', messages: 3, input_tokens: 10, output_tokens: 5, cost_micros: 0 }
  const days = everyDay([used], 3, Date.UTC(2026, 2, 1, 23, 59))
  expect(days.map(({ day }) => day)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
  expect(days.map(({ messages }) => messages)).toEqual([0, 3, 0])
})
