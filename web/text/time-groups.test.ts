import { describe, expect, test } from 'vitest'
import { groupByTime, shortTime } from './time-groups.ts'

const today = new Date(2026, 10, 23, 9, 30)
const entry = (...at: [number, number, number, number, number]) => ({ updated_at: new Date(...at).toISOString() })

describe('the groups of the conversation list', () => {
  test('are today, yesterday, weekdays, months, and months of other years', () => {
    const entries = [
      entry(2026, 10, 23, 9, 31),
      entry(2026, 10, 23, 0, 0),
      entry(2026, 10, 22, 23, 59),
      entry(2026, 10, 21, 12, 0),
      entry(2026, 10, 17, 0, 0),
      entry(2026, 10, 16, 23, 59),
      entry(2026, 10, 1, 8, 0),
      entry(2026, 9, 25, 8, 0),
      entry(2025, 9, 25, 8, 0),
    ]
    expect(groupByTime(entries, today).map(({ title, items }) => [title, items.length])).toEqual([
      ['Today', 2],
      ['Yesterday', 1],
      ['Saturday', 1],
      ['Tuesday', 1],
      ['November', 2],
      ['October', 1],
      ['October 2025', 1],
    ])
    expect(groupByTime([], today)).toEqual([])
    expect(groupByTime([entry(2026, 10, 24, 1, 0)], today)).toMatchObject([{ title: 'Today' }])
  })

  test('the time of a row says what its group does not', () => {
    expect(shortTime(new Date(2026, 10, 22, 14, 5), today)).toMatch(/^2:05\sPM$/)
    expect(shortTime(new Date(2026, 10, 1, 14, 5), today)).toBe('Nov 1')
  })
})
