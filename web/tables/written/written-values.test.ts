import { describe, expect, test } from 'vitest'
import { readWritten } from './written-values.ts'

describe('cells written as text', () => {
  test.each([
    ['integers', ['9', '10', '−3', ''], 'integer', [9, 10, -3, null]],
    ['decimals', ['1.5', '-', '2'], 'number', [1.5, null, 2]],
    ['thousands', ['1,234', '999'], 'integer', [1234, 999]],
    ['decimal commas', ['1.234,5', '7'], 'number', [1234.5, 7]],
    ['blanks as groups', ['1\u202f234', '12'], 'integer', [1234, 12]],
    ['percentages', ['12%', '7.5 %'], 'percent', [12, 7.5]],
    ['amounts', ['$1,200.50', '-$3'], 'number', [1200.5, -3]],
    ['amounts after', ['1,50 €', '20 €'], 'number', [1.5, 20]],
    ['sizes', ['1.5 GB', '300 MiB', '12 B'], 'bytes', [1_500_000_000, 314_572_800, 12]],
    ['durations', ['13 ms', '2 h 5 min', '1.5s'], 'duration', [13, 7_500_000, 1500]],
    ['dates', ['2026-01-31', '2026-02-01'], 'date', ['2026-01-31', '2026-02-01']],
    ['dates, day first', ['31.1.2026'], 'date', ['2026-01-31']],
    ['dates, month first', ['1/31/2026', '2/1/2026'], 'date', ['2026-01-31', '2026-02-01']],
    ['times', ['2026-01-31 14:05', '2026-01-31T14:06:00Z'], 'datetime', ['2026-01-31T14:05', '2026-01-31T14:06:00Z']],
  ])('%s', (_, cells, type, values) => {
    expect(readWritten(cells)).toMatchObject({ type, values })
  })
  test('an amount has its currency', () => {
    expect(readWritten(['5 €']).currency).toBe('EUR')
  })
  test.each([
    ['nothing at all', ['', '–']],
    ['addresses', ['10.100.200.100', '10.100.200.101']],
    ['telephone numbers', ['555 123 456', '555 123 457']],
    ['leading zeros', ['007', '010']],
    ['more digits than a number holds', ['12345678901234567890']],
    ['two currencies', ['$5', '5 €']],
    ['a number and a word', ['5', 'five']],
    ['percentages and numbers', ['5%', '5']],
    ['undecided dates', ['1/2/2026', '3/4/2026']],
    ['no date', ['2026-02-31']],
    ['words', ['disks', 'news']],
    ['a name of an object', ['__proto__', 'constructor']],
  ])('text: %s', (_, cells) => {
    expect(readWritten(cells)).toEqual({ type: 'text', values: cells })
  })
})
