import { expect, test } from 'vitest'
import { cronOf, draftOf } from './schedule-draft.ts'

test.each([
  ['30 7 * * *', 'daily'],
  ['30 7 * * 1-5', 'weekdays'],
  ['5 * * * *', 'hourly'],
  ['0 22 * * 0,3', 'weekly'],
  ['15 6 31 * *', 'monthly'],
  ['*/15 * * * *', 'cron'],
  ['0 7 1 1 *', 'cron'],
  ['0 7 1 * 1', 'cron'],
])('%s is %s, and becomes the same expression again', (cron, often) => {
  const draft = draftOf({ cron, zone: 'Europe/Berlin' }, 'UTC')
  expect(draft).toMatchObject({ often, zone: 'Europe/Berlin' })
  expect(cronOf(draft)).toBe(cron)
})

test('without a schedule there is no expression, and a week without days is none', () => {
  expect(cronOf(draftOf(null, 'UTC'))).toBeNull()
  expect(cronOf({ ...draftOf(null, 'UTC'), often: 'weekly', days: [] })).toBeNull()
})
