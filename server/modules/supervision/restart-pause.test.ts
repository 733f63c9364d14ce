import { describe, expect, test } from 'vitest'
import { pauseAfter, restartPause } from './restart-pause.ts'

const MINUTE = 60_000
const exits = (...at: number[]) => at.map((each) => ({ at: each, ran_ms: 10 }))

describe('the pause before a restart', () => {
  test('doubles up to a minute, and a quarter more by chance', () => {
    const pauses = [1, 2, 3, 4, 7, 12].map((count) => pauseAfter(exits(...Array.from({ length: count }, () => 0)), 0))
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 60_000, 60_000])
    expect(pauseAfter(exits(0), 1)).toBe(1250)
  })
  test('begins anew after it ran for a minute', () => {
    const [first, ...others] = exits(0, 0, 0)
    expect(pauseAfter([{ ...first!, ran_ms: MINUTE }, ...others], 0)).toBe(1000)
    expect(pauseAfter([first!, { ...others[0]!, ran_ms: MINUTE }, others[1]!], 0)).toBe(2000)
  })
  test('is none any more after five times within five minutes', () => {
    const now = 10 * MINUTE
    expect(restartPause(exits(now, now - 1, now - 2, now - 3), now, 0)).toBe(8000)
    expect(restartPause(exits(now, now - 1, now - 2, now - 3, now - 4), now, 0)).toBeNull()
    expect(restartPause(exits(now, now - 1, now - 2, now - 3, now - 6 * MINUTE), now, 0)).toBe(16_000)
  })
})
