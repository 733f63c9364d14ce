import { findWord, foldForSearch } from '../../kernel/text/search-words.ts'

/** UTF-16 units of a snippet without the ellipses, and how many of them precede the first word. */
const LENGTH = 160
const BEFORE = 40
/** Occurrences examined to choose the place with the most words. */
const OCCURRENCES = 500

export interface Snippet {
  /** Original text on one line. */
  readonly text: string
  /** The words in it as `[from, to)` in UTF-16 units, in order, non-adjacent. */
  readonly ranges: [number, number][]
}

/**
 * A piece of text that folds on its own: one character, except that Korean written as single letters folds as a run.
 */
const UNIT =
  /[\uac00-\ud7a3]?[\u1100-\u11ff\u3130-\u318f\u3260-\u327f\ua960-\ua97f\ud7b0-\ud7ff\uffa0-\uffdc\p{M}]+|./suy

interface Occurrence {
  readonly from: number
  readonly to: number
  readonly word: string
}

/** The stretch of `text` with the most of the (folded) words, the first if several qualify, with the words marked. */
export function snippetOf(text: string, words: readonly string[]): Snippet {
  const occurrences = findOccurrences(text, words)
  let best: Occurrence | undefined
  let most = 0
  for (const [i, first] of occurrences.entries()) {
    const within = new Set<string>()
    for (let k = i; k < occurrences.length && occurrences[k]!.to <= first.from + LENGTH - BEFORE; k++)
      within.add(occurrences[k]!.word)
    if (within.size > most) [best, most] = [first, within.size]
    if (most === words.length) break
  }
  const from = atCharacter(text, Math.max(0, (best?.from ?? 0) - BEFORE))
  const to = atCharacter(text, Math.min(text.length, from + LENGTH))
  const lead = from > 0 ? '…' : ''
  const ranges: [number, number][] = []
  for (const each of occurrences) {
    const start = Math.max(each.from, from) - from + lead.length
    const end = Math.min(each.to, to) - from + lead.length
    if (start >= end) continue
    const last = ranges.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else ranges.push([start, end])
  }
  return { text: lead + text.slice(from, to).replace(/\s/gu, ' ') + (to < text.length ? '…' : ''), ranges }
}

/**
 * Where the words occur in the original, in order. Folding changes lengths, so each unit's position is recorded
 * alongside.
 */
function findOccurrences(text: string, words: readonly string[]): Occurrence[] {
  let folded = ''
  const starts: number[] = []
  const ends: number[] = []
  for (let from = 0, to = 0; from < text.length; from = to) {
    const unit = unitAt(text, from)
    to = from + unit.length
    const part = foldUnit(unit)
    // A separate combining accent belongs to the letter before it.
    if (part === '' && ends.length > 0) ends[ends.length - 1] = to
    for (let i = 0; i < part.length; i++) {
      starts.push(from)
      ends.push(to)
    }
    folded += part
  }
  const occurrences: Occurrence[] = []
  for (const word of words) {
    let left = OCCURRENCES
    for (let at = findWord(folded, word); at >= 0 && left-- > 0; at = findWord(folded, word, at + word.length))
      occurrences.push({ from: starts[at]!, to: ends[at + word.length - 1]!, word })
  }
  return occurrences.sort((a, b) => a.from - b.from || a.to - b.to)
}

function unitAt(text: string, at: number): string {
  const code = text.charCodeAt(at)
  // Most texts are in scripts that never form runs, so there is no need to check.
  if (code < 0x1100 || (code >= 0x3400 && code < 0xa000)) return text[at]!
  UNIT.lastIndex = at
  return UNIT.exec(text)![0]
}

const folds = new Map<string, string>()

function foldUnit(unit: string): string {
  let part = folds.get(unit)
  if (part === undefined) {
    part = foldForSearch(unit)
    // A text uses few distinct characters many times.
    if (folds.size < 20_000 && unit.length < 4) folds.set(unit, part)
  }
  return part
}

/** The same position, or the one before it if that would split a character. */
function atCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}
