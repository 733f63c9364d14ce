import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'

const side = (diff: string, sign: string): string =>
  diff
    .split('\n')
    .filter((line) => line.startsWith(' ') || line.startsWith(sign))
    .map((line) => line.slice(1))
    .join('\n')

test('both texts can be read from it, and what they share stands once', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', '', '-c', '+d'), { minLength: 1 }).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const diff = lineDiff(before, after)
      expect(side(diff, '-')).toBe(before)
      expect(side(diff, '+')).toBe(after)
    }),
  )
  expect(lineDiff('a\nb\nc', 'a\nx\nc')).toBe(' a\n-b\n+x\n c')
})
