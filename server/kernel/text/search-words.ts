import { fold } from './plain-text.ts'

/** Letters that Unicode does not decompose into letter and accent, but that people type without the accent. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  ς: 'σ',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  ð: 'd',
  þ: 'th',
}
const PLAINABLE = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g')
const CJK =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Hangul}\p{Script_Extensions=Bopomofo}]/u
const LETTER = /[\p{L}\p{N}]/u

/** The role of a character in a search: part of a word, a character of a script without spaces, or a symbol. */
export type CharacterKind = 'letter' | 'cjk' | 'symbol'

const kinds = new Map<string, CharacterKind>()

export function kindOf(character: string): CharacterKind {
  let kind = kinds.get(character)
  if (kind === undefined) {
    kind = CJK.test(character) ? 'cjk' : LETTER.test(character) ? 'letter' : 'symbol'
    // All of Unicode would be a million entries, but texts use a few thousand characters.
    if (kinds.size < 20_000) kinds.set(character, kind)
  }
  return kind
}

/**
 * Folds text for searching: equates whatever fold() does, and letters that stand for others (ß = ss, ł = l). Korean
 * syllables stay whole, so that one of them is one character. White space is kept.
 */
export function foldForSearch(text: string): string {
  return fold(text)
    .replace(PLAINABLE, (letter) => PLAIN[letter]!)
    .normalize('NFC')
}

/** Folded text on one line with single spaces between words: what a search scans. */
export function searchLine(text: string): string {
  // U+180E used to be white space, and still is to SQLite.
  return foldForSearch(text)
    .replace(/[\s\u180e]+/gu, ' ')
    .trim()
}

/** The distinct words of a query, folded. Every character is taken literally. */
export function searchWords(query: string): string[] {
  return [...new Set(searchLine(query).split(' '))].filter(Boolean)
}

/** Words of one or two letters match only at the beginning of words, since inside words they are everywhere. */
export function isShortWord(word: string): boolean {
  // Two characters are at most four UTF-16 units.
  if (word.length > 4) return false
  const characters = Array.from(word)
  return characters.length < 3 && characters.every((character) => kindOf(character) === 'letter')
}

/**
 * The position of a query word in folded text, from `from` on; -1 if it does not occur. This defines what "finds"
 * means.
 */
export function findWord(text: string, word: string, from = 0): number {
  let at = text.indexOf(word, from)
  if (!isShortWord(word)) return at
  while (at > 0 && kindOf(characterBefore(text, at)) === 'letter') at = text.indexOf(word, at + 1)
  return at
}

function characterBefore(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && at > 1 ? text.slice(at - 2, at) : text[at - 1]!
}
