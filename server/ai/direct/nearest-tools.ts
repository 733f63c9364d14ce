import type { PromptTool } from '../../chat/ports/model.ts'
import { kindOf, searchLine, searchWords } from '../../kernel/text/search-words.ts'
import { wordsFor } from './tool-words.ts'

/** Suggestions in one answer. */
const MOST = 5
/** What a hit of one word is worth, by where it is. */
const WORTH = { name: 12, title: 8, words: 6, description: 3 }

interface ToolText {
  readonly tool: PromptTool
  readonly places: readonly { readonly worth: number; readonly words: readonly string[] }[]
}

/**
 * At most five tools nearest to what was typed, the nearest first: by the words of their names, titles and descriptions,
 * in English and in `language`, and by names with a few typos. None when nothing is near.
 */
export function nearestTools(tools: readonly PromptTool[], typed: string, language: string): PromptTool[] {
  const asked = wordsOf(typed.slice(0, 500)).filter((word) => word.length > 1)
  const texts = tools.map((tool) => textOf(tool, language))
  const scores = new Map(tools.map((tool) => [tool, 0]))
  for (const word of asked) {
    const hits = texts.flatMap((text) => {
      const worth = hitOf(text, word)
      return worth === 0 ? [] : [{ tool: text.tool, worth }]
    })
    // A word that every other tool has says little about which one is meant.
    const rarity = Math.log2(1 + tools.length / Math.max(1, hits.length))
    for (const { tool, worth } of hits) scores.set(tool, scores.get(tool)! + worth * rarity)
  }
  const best = Math.max(...scores.values(), 0)
  return [...scores]
    .filter(([, score]) => score > 0 && score >= best / 4)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST)
    .map(([tool]) => tool)
}

function textOf(tool: PromptTool, language: string): ToolText {
  const { name, title = '', description, read = { title: '', description: '' } } = tool
  return {
    tool,
    places: [
      { worth: WORTH.name, words: wordsOf(name) },
      { worth: WORTH.title, words: wordsOf(`${title} ${read.title}`) },
      { worth: WORTH.words, words: wordsOf(wordsFor(name, language)) },
      { worth: WORTH.description, words: wordsOf(`${description} ${read.description}`) },
    ],
  }
}

/** The most that a word is worth anywhere in the tool's texts. */
function hitOf({ places }: ToolText, word: string): number {
  return Math.max(
    ...places.map(({ worth, words }) => worth * Math.max(0, ...words.map((known) => likeness(word, known)))),
  )
}

/** From 0 to 1: the same word, the beginning of one, or a word with a typo. */
function likeness(word: string, known: string): number {
  if (word === known) return 1
  const [short, long] = word.length < known.length ? [word, known] : [known, word]
  // The ends of words differ by case and number; in scripts without spaces, two characters are a word.
  if (long.startsWith(short) && (short.length > 2 || isDense(short))) return 0.5 + (0.5 * short.length) / long.length
  return word.length > 4 && editDistance(word, known) <= Math.floor(word.length / 4) ? 0.5 : 0
}

/** Folded words. Scripts without spaces are split into pairs of characters. */
function wordsOf(text: string): readonly string[] {
  const words = searchWords(text.replace(/[^\p{L}\p{N}]+/gu, ' '))
  return words.flatMap((word) => (isDense(word) ? pairsOf(searchLine(word)) : [word]))
}

function pairsOf(word: string): string[] {
  const characters = Array.from(word)
  return characters.length < 3 ? [word] : characters.slice(1).map((character, at) => characters[at]! + character)
}

function isDense(word: string): boolean {
  return Array.from(word).some((character) => kindOf(character) === 'cjk')
}

/** Levenshtein distance: insertions, deletions and replacements. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
