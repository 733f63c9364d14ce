import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gramsOf, gramsOfWord } from './search-grams.ts'
import { findWord, searchLine, searchWords } from './search-words.ts'

const ALPHABET = [
  ...'ab cé ёшﬁßİ日本語가각ㄱㅏ😀"*%_\\-(',
  '👨‍👩‍👧',
  '\u0301',
  '\u180e',
  '\u3000',
  '\n',
  '\u1100',
  '\u1161',
  '\u11a8',
]
const text = fc.string({ unit: fc.constantFrom(...ALPHABET), maxLength: 60 })

test('a text has every gram of each word that is found in it', () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(6), (said, from, length) => {
      const line = searchLine(said)
      const grams = gramsOf(line)
      const characters = Array.from(line)
      const start = characters.length === 0 ? 0 : from % characters.length
      for (const word of searchWords(characters.slice(start, start + length + 1).join(''))) {
        expect(gramsOfWord(word).length).toBeGreaterThan(0)
        if (findWord(line, word) >= 0) expect([...grams]).toEqual(expect.arrayContaining(gramsOfWord(word)))
      }
    }),
    { numRuns: 3000 },
  )
})

test('no gram holds white space, and none has more than three characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (said) => {
      for (const gram of gramsOf(searchLine(said))) {
        expect(gram).not.toMatch(/\s/u)
        expect(Array.from(gram).length).toBeLessThanOrEqual(3)
      }
    }),
  )
})

test.each<[string, string[]]>([
  ['disk', ['d', 'di', 'dis', 'isk']],
  ['95%', ['9', '95', '95%', '%']],
  ['日本語', ['日', '本', '語', '日本', '本語']],
  ['a日b', ['a', '日', 'b']],
])('%s', (line, grams) => {
  expect([...gramsOf(line)].sort()).toEqual([...grams].sort())
})

test('a long word is looked for by some of its grams, from all over it', () => {
  const grams = gramsOfWord(Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x1000 + i)).join(''))
  expect(grams).toHaveLength(16)
})
