import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findWord, foldForSearch, searchLine, searchWords } from './search-words.ts'

test.each<[string, string]>([
  ['Zażółć GĘŚLĄ', 'zazolc gesla'],
  ['Ёлка и йод', 'елка и иод'],
  ['STRASSE', foldForSearch('Straße')],
  ['ﬁnance İstanbul ı', 'finance istanbul i'],
  ['ΟΔΟΣ', foldForSearch('οδος')],
  ['Øresund Þór', 'oresund thor'],
  ['ＦＵＬＬ', 'full'],
  ['디스크', '디스크'],
  ['  two\t\nlines\u3000here ', 'two lines here'],
])('%s is searched as %s', (text, folded) => {
  expect(searchLine(text)).toBe(folded)
})

test('folding what is folded changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = searchLine(text)
      expect(searchLine(line)).toBe(line)
    }),
    { numRuns: 2000 },
  )
})

test.each<[text: string, word: string, at: number]>([
  ['the disk', 'isk', 5],
  ['crab abc', 'ab', 5],
  ['crab', 'ab', -1],
  ['日ab', 'ab', 1],
  ['x-ab', 'ab', 2],
  ['𝒳ab'.normalize('NFKD'), 'ab', -1],
  ['50%', '%', 2],
  ['服务器', '务', 1],
  ['crab', '', 0],
])('in "%s" "%s" stands at %i', (text, word, at) => {
  expect(findWord(text, word)).toBe(at)
})

test('words of a query are different, and none is empty', () => {
  expect(searchWords('  Été ETE \u0301 été  x')).toEqual(['ete', 'x'])
  expect(searchWords(' \n')).toEqual([])
})
