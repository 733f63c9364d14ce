import { expect, test } from 'vitest'
import { builtInFormat, formatOf, type NumberFormat } from './number-format.ts'
import { xlsx } from '../../../test/stage/documents/sheet-js.ts'

test.each<[string, NumberFormat]>([
  ['General', 'number'],
  ['0.00', 'number'],
  ['#,##0.00\\ "d";[Red]-#,##0.00\\ "h"', 'number'],
  ['0.00E+00', 'number'],
  ['_-* #,##0.00\\ [$€-407]_-;-* #,##0.00', 'number'],
  ['0%', 'number'],
  ['@', 'number'],
  ['"day "0', 'number'],
  ['\\d0', 'number'],
  ['yyyy-mm-dd', 'date'],
  ['[$-409]d-mmm-yy;@', 'date'],
  ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', 'date'],
  ['mmm', 'date'],
  ['m', 'date'],
  ['yyyy"年"m"月"d"日"', 'date'],
  ['[Red]dd.mm.yyyy', 'date'],
  ['dd.mm.yyyy hh:mm', 'datetime'],
  ['m/d/yy h:mm AM/PM', 'datetime'],
  ['mmm d, h:mm', 'datetime'],
  ['h:mm', 'time'],
  ['mm:ss.0', 'time'],
  ['h:mm:ss AM/PM', 'time'],
  ['[h]:mm', 'duration'],
  ['[mm]:ss', 'duration'],
  ['', 'number'],
  ['"unfinished', 'number'],
])('%s is a %s', (code, expected) => {
  expect(formatOf(code)).toBe(expected)
  // Another program tells days and times from numbers as well.
  if (code !== '' && code !== '"unfinished') expect(xlsx.SSF.is_date(code.split(';')[0]!)).toBe(expected !== 'number')
})

test('formats known by their number', () => {
  expect([0, 1, 9, 14, 18, 22, 46, 49, 57].map(builtInFormat)).toEqual([
    'number',
    'number',
    'number',
    'date',
    'time',
    'datetime',
    'duration',
    'number',
    'date',
  ])
})
