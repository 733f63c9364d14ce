import { isShortWord, kindOf } from './search-words.ts'

/** More grams per word would cost time and exclude next to nothing: whatever they find is checked anyway. */
const GRAMS_OF_WORD = 16

/**
 * Adds to `grams` everything by which text (see searchLine) is found, as strings of one to three characters without
 * spaces: three consecutive characters of a word; the first letter and the first two letters of a word; each character
 * of Chinese, Japanese and Korean, and each two in a row; each symbol.
 */
export function gramsOf(text: string, grams = new Set<string>()): Set<string> {
  // The two preceding characters, if they can form a gram with this one, and the number of letters directly before it.
  let second = ''
  let first = ''
  let letters = 0
  let afterSign = false
  for (const character of text) {
    if (character === ' ') {
      first = second = ''
      letters = 0
      afterSign = false
      continue
    }
    const kind = kindOf(character)
    const sign = kind === 'cjk'
    if (sign !== afterSign) first = second = ''
    if (sign) {
      grams.add(character)
      if (first !== '') grams.add(first + character)
    } else if (second !== '') grams.add(second + first + character)
    letters = kind === 'letter' ? letters + 1 : 0
    if (kind === 'symbol' || letters === 1) grams.add(character)
    else if (letters === 2) grams.add(first + character)
    second = first
    first = character
    afterSign = sign
  }
  return grams
}

/** Grams contained in every text in which findWord finds the word. At least one, for a word of searchWords. */
export function gramsOfWord(word: string): string[] {
  if (isShortWord(word)) return [word]
  const grams = [...gramsOf(word)].filter((gram) => {
    const characters = Array.from(gram)
    // A word's beginning is not one in the middle of another word; of CJK characters in a row, two say more than one.
    if (characters.length === 3) return true
    if (characters.every((character) => kindOf(character) === 'letter')) return false
    return characters.length === 2 || kindOf(gram) === 'symbol' || !hasSignBeside(word, gram)
  })
  if (grams.length <= GRAMS_OF_WORD) return grams
  const step = grams.length / GRAMS_OF_WORD
  return Array.from({ length: GRAMS_OF_WORD }, (_, i) => grams[Math.floor(i * step)]!)
}

function hasSignBeside(word: string, sign: string): boolean {
  const characters = Array.from(word)
  return characters.every(
    (character, i) =>
      character !== sign || [characters[i - 1], characters[i + 1]].some((next) => next && kindOf(next) === 'cjk'),
  )
}
