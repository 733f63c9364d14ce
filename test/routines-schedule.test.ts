import { describe, expect, test } from 'vitest'
import { readSchedule, timesOf } from '../server/routines/schedule.ts'
import { Sentence } from '../server/kernel/sentence.ts'

const NOW = Date.parse('2026-11-27T12:00:00Z')
const next = (cron: string, zone: string, from: string, count: number): string[] =>
  timesOf({ cron, zone })
    .next(count, Date.parse(from))
    .map((at) => new Date(at).toISOString())

describe('a change of clocks', () => {
  test('a time of day that is left out is due at the change', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2027-03-27T22:00:00Z', 2)).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ])
    expect(next('30 2,14 * * *', 'Europe/Berlin', '2027-03-27T22:00:00Z', 2)).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-28T12:30:00.000Z',
    ])
  })

  test('a time of day that comes twice is due once', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2027-10-30T23:00:00Z', 2)).toEqual([
      '2027-10-31T00:30:00.000Z',
      '2027-11-01T01:30:00.000Z',
    ])
  })

  test('what is due every half hour goes on through the hour that comes twice', () => {
    expect(next('*/30 * * * *', 'Europe/Berlin', '2027-10-30T23:45:00Z', 5)).toEqual([
      '2027-10-31T00:00:00.000Z',
      '2027-10-31T00:30:00.000Z',
      '2027-10-31T01:00:00.000Z',
      '2027-10-31T01:30:00.000Z',
      '2027-10-31T02:00:00.000Z',
    ])
  })

  test('of half an hour, as on Lord Howe', () => {
    expect(next('15 2 * * *', 'Australia/Lord_Howe', '2027-10-02T00:00:00Z', 2)).toEqual([
      '2027-10-02T15:30:00.000Z',
      '2027-10-03T15:15:00.000Z',
    ])
    expect(next('45 1 * * *', 'Australia/Lord_Howe', '2027-04-03T12:00:00Z', 2)).toEqual([
      '2027-04-03T14:45:00.000Z',
      '2027-04-04T15:15:00.000Z',
    ])
  })
})

test.each([
  ['0 3 30 2 *', 'UTC', 'This schedule is never due.'],
  ['* * * * *', 'UTC', 'Two times are less than 5 minutes apart.'],
  ['0,2 3 * * *', 'UTC', 'Two times are less than 5 minutes apart.'],
  ['0 0 7 * * *', 'UTC', 'A schedule has five parts: minute, hour, day of the month, month, day of the week.'],
  ['61 7 * * *', 'UTC', '“61 7 * * *” is not a schedule: 30 7 * * 1-5 is 07:30 from Monday to Friday.'],
  ['0 7 * * *', 'Moon/Base', '“Moon/Base” is not the name of a time zone.'],
])('%s in %s is refused', (cron, zone, why) => {
  const found = readSchedule({ cron, zone }, NOW)
  expect(found instanceof Sentence ? found.in('en') : found).toBe(why)
})

test.each(['*/5 * * * *', '30 7 * * 1-5', '0 0 L * *', '0 12 29 2 *'])('%s can be used', (cron) => {
  expect(readSchedule({ cron, zone: 'Europe/Berlin' }, NOW)).not.toBeInstanceOf(Sentence)
})

test('of times that have passed, the newest and their number', () => {
  const times = timesOf({ cron: '0 * * * *', zone: 'UTC' })
  const first = Date.parse('2026-11-27T01:00:00Z')
  expect(times.until(first, Date.parse('2026-11-27T04:59:59Z'))).toEqual({
    count: 4,
    newest: Date.parse('2026-11-27T04:00:00Z'),
  })
  expect(times.until(first, first)).toEqual({ count: 1, newest: first })
  // After a very long time they are no longer counted one by one.
  const late = Date.parse('2027-11-27T04:10:00Z')
  expect(times.until(first, late)).toEqual({ count: 1000, newest: Date.parse('2027-11-27T04:00:00Z') })
})

test('a time that was found with other time zone data stands for the nearest one', () => {
  const daily = timesOf({ cron: '0 3 * * *', zone: 'Europe/Berlin' })
  const due = Date.parse('2027-03-01T02:00:00Z')
  const [hour, before] = [3_600_000, due - 12 * 3_600_000]
  expect(daily.anew(due, before)).toBe(due)
  expect(daily.anew(due - hour, before)).toBe(due)
  expect(daily.anew(due + hour, before)).toBe(due)
  // Where it stands now is gone, and it was not fired: it stays where it was.
  expect(daily.anew(due + hour, due)).toBe(due + hour)
  expect(daily.anew(due - hour, due - 1)).toBe(due)
  expect(daily.anew(due - hour, due + 1)).toBe(due)
  // Every hour is every hour, whatever it is called.
  const hourly = timesOf({ cron: '0 * * * *', zone: 'Europe/Berlin' })
  expect(hourly.anew(due, before)).toBe(due)
})
