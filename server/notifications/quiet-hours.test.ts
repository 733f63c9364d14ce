import { describe, expect, test } from 'vitest'
import { afterQuiet, isZone } from './quiet-hours.ts'

const NIGHT = { from: '22:00', to: '07:00', zone: 'Europe/Berlin' }

function woken(at: string, hours = NIGHT): string {
  return new Date(afterQuiet(Date.parse(at), hours)).toISOString()
}

describe('what is due in quiet hours comes at their end', () => {
  test.each([
    ['2026-11-24T20:59:59.000Z', '2026-11-24T20:59:59.000Z'],
    ['2026-11-24T21:00:00.000Z', '2026-11-25T06:00:00.000Z'],
    ['2026-11-25T02:10:30.500Z', '2026-11-25T06:00:00.000Z'],
    ['2026-11-25T05:59:00.000Z', '2026-11-25T06:00:00.000Z'],
    ['2026-11-25T06:00:00.000Z', '2026-11-25T06:00:00.000Z'],
    // The clock goes back, and forward: 07:00 is when it shows 07:00.
    ['2026-10-24T22:00:00.000Z', '2026-10-25T06:00:00.000Z'],
    ['2026-03-28T23:00:00.000Z', '2026-03-29T05:00:00.000Z'],
  ])('%s → %s', (at, then) => expect(woken(at)).toBe(then))

  test('in the middle of the day, in a zone of its own half hour, and never', () => {
    expect(woken('2026-11-24T12:00:00.000Z', { from: '12:30', to: '14:00', zone: 'Europe/Berlin' })).toBe(
      '2026-11-24T13:00:00.000Z',
    )
    expect(woken('2026-11-24T18:00:00.000Z', { ...NIGHT, zone: 'Asia/Kolkata' })).toBe('2026-11-25T01:30:00.000Z')
    expect(woken('2026-11-24T12:00:00.000Z', { from: '09:00', to: '09:00', zone: 'UTC' })).toBe(
      '2026-11-24T12:00:00.000Z',
    )
  })
})

test('a zone is one that the machine knows', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', '', 'Europe/Berlin; rm'].map(isZone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
