import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitRanges } from './split-ranges.ts'

const show = (text: string, ranges: number[][]): string =>
  splitRanges(text, ranges)
    .map((piece) => (piece.marked ? `[${piece.text}]` : piece.text))
    .join('')

test('marks what the ranges say', () => {
  expect(
    show('disk full on disk', [
      [0, 4],
      [13, 17],
    ]),
  ).toBe('[disk] full on [disk]')
  expect(show('日本語', [[1, 3]])).toBe('日[本語]')
  expect(show('nothing', [])).toBe('nothing')
})

test('overlapping, unordered and impossible ranges lose no text', () => {
  expect(
    show('abcdef', [
      [2, 5],
      [0, 3],
    ]),
  ).toBe('[abc][de]f')
  expect(
    show('abc', [
      [2, 99],
      [5, 7],
      [1, 1],
    ]),
  ).toBe('ab[c]')
  fc.assert(
    fc.property(fc.string(), fc.array(fc.tuple(fc.nat(20), fc.nat(20))), (text, ranges) => {
      expect(
        splitRanges(text, ranges)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text)
    }),
  )
})
