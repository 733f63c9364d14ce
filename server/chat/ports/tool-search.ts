import type { Wording } from '../../kernel/wording.ts'
import { findWord, searchLine, searchWords } from '../../kernel/text/search-words.ts'
import type { Tool } from './tools.ts'

/** A tool among others that are searched, by the name that the one who searches knows it by. */
export interface NamedTool {
  readonly name: string
  readonly tool: Tool
}

/** A word must keep that many letters when an ending is left out. */
const STEM = 4

/**
 * The tools that the words say anything about, best first: a word counts most in a name, and the more the fewer tools have
 * it. `wording`: how the texts of a module read in the language of who searches, which counts like the module's own.
 */
export function searchTools<T extends NamedTool>(
  all: readonly T[],
  words: string,
  wording?: (module: string) => Wording,
): T[] {
  const texts = all.map((one) => textsOf(one, wording?.(one.tool.module)))
  const scores = all.map((one) => ({ one, score: 0 }))
  for (const word of searchWords(words)) {
    const found = weightsOf(word, texts)
    const having = found.filter((weight) => weight > 0).length
    found.forEach((weight, at) => (scores[at]!.score += weight / Math.max(1, having)))
  }
  return scores
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one)
}

/**
 * Tools that stand for all of them, at most as `takes` allows: from one module after the other, those that only read first,
 * so that whoever sees them sees what there is. The same for the same tools, because clients and providers keep lists.
 */
export function mainTools<T extends NamedTool>(all: readonly T[], takes: (one: T) => boolean): T[] {
  const reads = ({ tool }: T) => (tool.effect === 'read' ? 0 : 1)
  const modules = [...Map.groupBy(all, ({ tool }) => tool.module).values()].map((own) =>
    own.toSorted((a, b) => reads(a) - reads(b)),
  )
  const longest = Math.max(0, ...modules.map((own) => own.length))
  const inTurns = Array.from({ length: longest }, (_, turn) => modules.flatMap((own) => own[turn] ?? [])).flat()
  const kept = new Set(inTurns.filter(takes))
  return all.filter((one) => kept.has(one))
}

interface Weighed {
  readonly text: string
  readonly weight: number
}

function textsOf({ name, tool }: NamedTool, wording: Wording | undefined): Weighed[] {
  const { title, description } = tool
  const read =
    wording === undefined ? [] : [title, description].map((text) => (wording.has(text) ? wording.text(text) : ''))
  return [
    { text: searchLine(name.replaceAll(/[_.-]/g, ' ')), weight: 4 },
    { text: searchLine(`${title} ${read[0] ?? ''}`), weight: 2 },
    { text: searchLine(`${description} ${read[1] ?? ''}`), weight: 1 },
    { text: searchLine(argumentTexts(tool)), weight: 1 },
  ]
}

function argumentTexts({ input_schema }: Tool): string {
  const properties = input_schema['properties']
  if (properties === null || typeof properties !== 'object') return ''
  return Object.entries(properties)
    .map(([name, schema]: [string, unknown]) => {
      const about = schema !== null && typeof schema === 'object' && 'description' in schema ? schema.description : ''
      return `${name.replaceAll('_', ' ')} ${typeof about === 'string' ? about : ''}`
    })
    .join(' ')
}

/** What the word weighs in each of them; in none of them at all: what it weighs without one or two letters of its ending. */
function weightsOf(word: string, texts: readonly (readonly Weighed[])[]): number[] {
  for (let ending = 0; ending <= 2; ending++) {
    const start = ending === 0 ? word : word.slice(0, -ending)
    if (ending > 0 && start.length < STEM) break
    const weights = texts.map((own) =>
      Math.max(0, ...own.map(({ text, weight }) => (findWord(text, start) >= 0 ? weight : 0))),
    )
    if (weights.some((weight) => weight > 0)) return weights
  }
  return texts.map(() => 0)
}
