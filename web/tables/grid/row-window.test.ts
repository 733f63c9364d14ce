import { describe, expect, test } from 'vitest'
import { contentHeight, rowsInSight, scrolled, windowAt, type RowWindow } from './row-window.ts'

const TOP: RowWindow = { top: 0, offset: 0 }
const short = { count: 1000, row: 32, view: 320 }
const long = { count: 10_000_000, row: 32, view: 320 }

describe('rows in sight', () => {
  test('a list of usual length scrolls as it is', () => {
    expect(contentHeight(short)).toBe(32_000)
    expect(scrolled(TOP, 640, short)).toEqual({ top: 640, offset: 640 })
    expect(rowsInSight({ top: 640, offset: 640 }, short, 2)).toEqual({ first: 18, last: 32 })
    expect(rowsInSight(TOP, { ...short, count: 0 }, 2)).toEqual({ first: 0, last: -1 })
  })
  test('ten million rows: every row can be reached, and small steps skip none', () => {
    expect(contentHeight(long)).toBeLessThan(16_000_000)
    const middle = scrolled(TOP, contentHeight(long) / 2, long)
    expect(Math.round(middle.offset / 32 / 100_000)).toBe(50)
    const next = scrolled(middle, middle.top + 100, long)
    expect(next.offset - middle.offset).toBeCloseTo(100)
    const end = scrolled(next, contentHeight(long) - long.view, long)
    expect(rowsInSight(end, long, 0).last).toBe(9_999_999)
    expect(scrolled(end, 0, long).offset).toBe(0)
  })
  test('going to a row puts the bar at its share', () => {
    const at = windowAt(5_000_000 * 32, long)
    expect(rowsInSight(at, long, 0).first).toBe(5_000_000)
    expect(at.top / contentHeight(long)).toBeCloseTo(0.5, 3)
    expect(windowAt(-5, short)).toEqual(TOP)
    expect(windowAt(1e9, short)).toEqual({ top: 31_680, offset: 31_680 })
  })
})
