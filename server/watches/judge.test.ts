import { expect, test } from 'vitest'
import type { WatchCondition, WatchValue } from '../../contract/watch-values.ts'
import { isBeyond, judge, type Memory } from './judge.ts'

const MINUTE = 60_000
const DISK: WatchCondition = { is: 'above', bound: 90, back: 87, for_s: 600 }

/** Looks once a minute, and tells what each look has turned. */
function looks(condition: WatchCondition, values: readonly WatchValue[], times?: readonly number[]) {
  let memory: Memory | null = null
  return values.map((value, at) => {
    const judged = judge(memory, value, condition, times?.[at] ?? at * MINUTE)
    memory = judged.memory
    return judged.turn ?? judged.memory.phase
  })
}

test('a bound counts once it has been seen crossed for so long', () => {
  const ten = Array.from({ length: 10 }, () => 'pending')
  expect(
    looks(
      DISK,
      Array.from({ length: 12 }, () => 95),
    ),
  ).toEqual([...ten, 'crossed', 'crossed'])
  expect(looks({ ...DISK, for_s: 0 }, [95, 95])).toEqual(['crossed', 'crossed'])
  // A moment below begins anew.
  const broken = [...Array.from({ length: 9 }, () => 95), 90, ...Array.from({ length: 10 }, () => 95)]
  expect(looks(DISK, broken)).not.toContain('crossed')
})

test('it is over at the bound for recovery, and not in between', () => {
  const soon = { ...DISK, for_s: 0 }
  expect(looks(soon, [95, 89, 87.1, 87, 95])).toEqual(['crossed', 'crossed', 'crossed', 'recovered', 'crossed'])
  expect(looks({ ...soon, back: null }, [95, 90])).toEqual(['crossed', 'recovered'])
  const low: WatchCondition = { is: 'below', bound: 14, back: 20, for_s: 0 }
  expect(looks(low, [14, 13, 15, 19.9, 20])).toEqual(['ok', 'crossed', 'crossed', 'crossed', 'recovered'])
})

test('what is not known is neither crossed nor recovered, and no time', () => {
  expect(looks({ ...DISK, for_s: 0 }, [95, null, null, 80])).toEqual(['crossed', 'crossed', 'crossed', 'recovered'])
  expect(looks({ ...DISK, for_s: 0 }, [null, null])).toEqual(['ok', 'ok'])
  // Away for an hour: the two looks before and after it are two minutes, not an hour.
  const values = [95, 95, null, 95, 95]
  const times = [0, MINUTE, 30 * MINUTE, 61 * MINUTE, 62 * MINUTE]
  expect(looks({ ...DISK, for_s: 180 }, values, times)).toEqual(Array.from({ length: 5 }, () => 'pending'))
})

test('a clock that was set back makes it longer, never shorter', () => {
  const times = [10 * MINUTE, 11 * MINUTE, 6 * MINUTE, 7 * MINUTE, 8 * MINUTE]
  expect(looks({ ...DISK, for_s: 180 }, [95, 95, 95, 95, 95], times)).toEqual([
    'pending',
    'pending',
    'pending',
    'pending',
    'crossed',
  ])
})

test('texts are compared as they are, and numbers in them as numbers', () => {
  const equals = (bound: string | number): WatchCondition => ({ is: 'equals', bound, back: null, for_s: 0 })
  expect(isBeyond(equals('failed'), 'failed')).toBe(true)
  expect(isBeyond(equals('failed'), 'Failed')).toBe(false)
  expect(isBeyond(equals(3), '3.0')).toBe(true)
  expect(isBeyond(equals('0'), 0)).toBe(true)
  expect(isBeyond(DISK, '95')).toBe(true)
  expect(isBeyond(DISK, 'full')).toBe(null)
  expect(isBeyond(DISK, '')).toBe(null)
  expect(isBeyond(DISK, null)).toBe(null)
  expect(isBeyond(DISK, NaN)).toBe(null)
  expect(isBeyond(DISK, Infinity)).toBe(null)
})
