import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LABEL_LENGTH } from './clean-label.ts'
import { ruleLabels } from './rule-labels.ts'

describe('labels by rule', () => {
  test.each([
    ['user_id', 'User ID'],
    ['createdAt', 'Created at'],
    ['total-rows', 'Total rows'],
    ['HTTPServerURL', 'HTTP server URL'],
    ['cpu_usage_pct', 'CPU usage (%)'],
    ['cpu%', 'CPU (%)'],
    ['mem_mb', 'Mem (MB)'],
    ['durationMs', 'Duration (ms)'],
    ['price_eur', 'Price (EUR)'],
    ['ms', 'Ms'],
    ['ORDER_DATE', 'Order date'],
    ['order.customer.name', 'Order customer name'],
    ['userIDs', 'User IDs'],
    ['ipv4Address', 'IPv4 address'],
    ['md5Hash', 'Md5 hash'],
    ['version_1.2', 'Version 1.2'],
    ['дата_создания', 'Дата создания'],
    ['größeInMm', 'Größe in (mm)'],
    ['订单号', '订单号'],
    ['Already written for People', 'Already written for People'],
    ['  spaced   out  ', 'spaced out'],
    ['___', '___'],
    ['a\u202eb', 'A\\u{202e}b'],
  ])('%j → %j', (key, label) => {
    expect(ruleLabels([key]).get(key)).toBe(label)
  })

  test('two keys with the same words stay apart', () => {
    expect([...ruleLabels(['user_id', 'userId', 'name'])]).toEqual([
      ['user_id', 'user_id'],
      ['userId', 'userId'],
      ['name', 'Name'],
    ])
  })

  test('every key has a label of one short line', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }), { maxLength: 20 }),
        (keys) => {
          const labels = ruleLabels(keys)
          expect([...labels.keys()]).toEqual(keys)
          for (const label of labels.values()) {
            expect(label).toMatch(/^\S(.*\S)?$/u)
            expect(label.length).toBeLessThanOrEqual(LABEL_LENGTH)
            expect(label).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
          }
        },
      ),
    )
  })
})
