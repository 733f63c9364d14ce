import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openCsvParser } from './csv-parser.ts'

function parse(text: string, delimiter: string, cuts: readonly number[] = []): { rows: string[][]; badQuotes: number } {
  const rows: string[][] = []
  const parser = openCsvParser(delimiter, (cells) => rows.push(cells))
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
  for (const [i, at] of places.slice(0, -1).entries()) parser.push(text.slice(at, places[i + 1]))
  parser.end()
  return { rows, badQuotes: parser.badQuotes }
}

const cell = fc.string({ unit: fc.constantFrom(...'ab"",;|\t\n\r é東'), maxLength: 6 })
const delimiter = fc.constantFrom(',', ';', '\t', '|')

test('what was written properly is read as it was, wherever it is cut in pieces', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 12 }),
      delimiter,
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      fc.array(fc.nat(), { maxLength: 6 }),
      (rows, by, lineEnd, ended, cuts) => {
        const write = (text: string): string =>
          /["\r\n]/.test(text) || text.includes(by) || text.endsWith(' ') ? `"${text.replaceAll('"', '""')}"` : text
        const text = rows.map((row) => row.map(write).join(by)).join(lineEnd) + (ended ? lineEnd : '')
        expect(parse(text, by, cuts)).toEqual({ rows, badQuotes: 0 })
      },
    ),
    { numRuns: 1000 },
  )
})

test('whatever it is given, pieces or not, it reads the same, and loses no letter', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab",\n\r '), maxLength: 60 }),
      fc.array(fc.nat(), { maxLength: 6 }),
      (text, cuts) => {
        const { rows } = parse(text, ',', cuts)
        expect(rows).toEqual(parse(text, ',').rows)
        const letters = (from: string): string => from.replace(/[^ab]/g, '')
        expect(letters(rows.flat().join(''))).toBe(letters(text))
      },
    ),
    { numRuns: 3000 },
  )
})

test.each<[string, string[][]]>([
  [
    'a,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,\n,b\n,',
    [
      ['a', ''],
      ['', 'b'],
      ['', ''],
    ],
  ],
  ['"a"  ,b', [['a', 'b']]],
  ['"a""b","c\r\nd"', [['a"b', 'c\r\nd']]],
  ['"a"b,c', [['"a"b', 'c']]],
  ['say "hi",c', [['say "hi"', 'c']]],
  [
    '"open,c\nd,e',
    [
      ['"open', 'c'],
      ['d', 'e'],
    ],
  ],
  ['"say "hi""', [['say "hi"']]],
  ['""\n\n""', []],
])('%j', (text, rows) => {
  expect(parse(text, ',').rows).toEqual(rows)
})
