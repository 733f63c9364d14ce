import { expect, test } from 'vitest'
import { quotaDraftOf, limitOf, quotaOf } from './quota-draft.ts'

const QUOTA = {
  day: { messages: 50, tokens: null, cost_micros: 1_500_000, calls: 200 },
  month: { messages: null, tokens: 0, cost_micros: null, calls: null },
}

test('limits are typed as they are read', () => {
  expect(quotaDraftOf(QUOTA)).toMatchObject({
    day_messages: '50',
    day_tokens: '',
    day_cost_micros: '1.5',
    month_tokens: '0',
    day_calls: '200',
    month_calls: '',
  })
  expect(quotaOf(quotaDraftOf(QUOTA))).toEqual(QUOTA)
})

test('what is no limit is none', () => {
  const draft = quotaDraftOf(QUOTA)
  for (const text of ['-1', '1.5', 'many', '1e3', '2000000000000'])
    expect([text, limitOf({ ...draft, day_messages: text }, 'day', 'messages')]).toEqual([text, undefined])
  expect(limitOf({ ...draft, day_cost_micros: ' 2,25 ' }, 'day', 'cost_micros')).toBe(2_250_000)
  expect(quotaOf({ ...draft, month_tokens: 'x' })).toBeNull()
})
