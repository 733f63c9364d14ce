import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findWord, foldForSearch, searchWords } from '../../kernel/text/search-words.ts'
import { snippetOf } from './snippet.ts'

function marked(text: string, query: string): string[] {
  const { text: snippet, ranges } = snippetOf(text, searchWords(query))
  return ranges.map(([from, to]) => snippet.slice(from, to))
}

test.each<[text: string, query: string, marked: string[]]>([
  ['Die Straße ist lang', 'strasse', ['Straße']],
  ['Die Straße', 'as', []],
  ['the ﬁnance', 'finance', ['ﬁnance']],
  ['the ﬁnance', 'nance', ['nance']],
  ['İstanbul', 'ISTAN', ['İstan']],
  ['cafe\u0301 noir', 'café', ['cafe\u0301']],
  ['😀 ok 😀😀', '😀', ['😀', '😀😀']],
  ['服务器磁盘空间不足', '磁盘', ['磁盘']],
  ['디스크 공간', '공', ['공']],
  ['\u1103\u1175\u1109\u1173\u110f\u1173', '디스크', ['\u1103\u1175\u1109\u1173\u110f\u1173']],
  ['one two one', 'one two', ['one', 'two', 'one']],
  ['aaaa', 'aaa', ['aaa']],
  ['abcd', 'abc bcd', ['abcd']],
])('in "%s" %s marks %j', (text, query, expected) => {
  expect(marked(text, query)).toEqual(expected)
})

test('of a long text the stretch with the most words is shown, on one line, cut at characters', () => {
  const text = `${'😀'.repeat(200)} apple ${'x\n'.repeat(300)} apple pear ${'😀'.repeat(200)}`
  const { text: snippet, ranges } = snippetOf(text, ['apple', 'pear'])
  expect(ranges.map(([from, to]) => snippet.slice(from, to))).toEqual(['apple', 'pear'])
  expect(snippet).toMatch(/^….*…$/u)
  expect(snippet.isWellFormed()).toBe(true)
  expect(snippet.length).toBeLessThanOrEqual(162)
})

test('without a word in it, a text is shown from its beginning', () => {
  expect(snippetOf('short text', ['absent'])).toEqual({ text: 'short text', ranges: [] })
})

test('whatever is found in a text is marked in it, where it stands', () => {
  const units = [...'aAé ßﬁİςΣ가ㄱㅏ日😀%', '\u0301', '\u1100', '\u1161', '\u11a8', '\u3260', 'ﾡ', 'ￂ']
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom(...units), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
    maxLength: 40,
  })
  fc.assert(
    fc.property(text, fc.nat(40), fc.integer({ min: 1, max: 5 }), (said, from, length) => {
      const folded = foldForSearch(said)
      const words = searchWords(folded.slice(from, from + length).toWellFormed())
      const { text: snippet, ranges } = snippetOf(said, words)
      let last = -1
      for (const [start, end] of ranges) {
        expect(start).toBeGreaterThan(last)
        last = end
        const inside = foldForSearch(snippet.slice(start, end))
        expect(words.some((word) => inside.includes(word))).toBe(true)
      }
      if (words.some((word) => findWord(folded, word) >= 0)) expect(ranges.length).toBeGreaterThan(0)
    }),
    { numRuns: 3000 },
  )
})
