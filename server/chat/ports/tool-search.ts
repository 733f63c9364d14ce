import type { Wording } from '../../kernel/wording.ts'
import { findWord, searchLine, searchWords } from '../../kernel/text/search-words.ts'
import type { Tool } from './tools.ts'

/** A tool among others that are searched, by the name that the one who searches knows it by. */
export interface NamedTool {
  readonly name: string
  readonly tool: Tool
}

/** What is looked for: whoever searches is a program, and the service waits for its search. */
const WORDS = 12
const QUERY = 300
/** Characters of each text of a tool that are searched: what comes later says little about what it is for. */
const TEXT = 2000
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
  const wordings = new Map<string, Wording | undefined>()
  const texts = all.map((one) => {
    const { module } = one.tool
    if (!wordings.has(module)) wordings.set(module, wording?.(module))
    return textsOf(one, wordings.get(module))
  })
  const scores = all.map((one) => ({ one, score: 0 }))
  // Names are searched as words, so they are words here as well, and what surrounds words looks for nothing.
  const query = words.slice(0, QUERY).replaceAll(/[\p{P}\p{S}]+/gu, ' ')
  for (const word of searchWords(query).slice(0, WORDS)) {
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

/** Keyed by schema object: a tool keeps it while its module runs. The name under which it is known may differ. */
const folded = new WeakMap<object, readonly Weighed[]>()

function textsOf({ name, tool }: NamedTool, wording: Wording | undefined): readonly Weighed[] {
  const { title, description, input_schema } = tool
  let own = folded.get(input_schema)
  if (own === undefined) {
    own = [line(title, 2), line(description, 1), line(argumentTexts(tool), 1)]
    folded.set(input_schema, own)
  }
  const named = line(name.replaceAll(/[_.-]/g, ' '), 4)
  if (wording === undefined) return [named, ...own]
  const read = (text: string, weight: number) => (wording.has(text) ? [line(wording.text(text), weight)] : [])
  return [named, ...own, ...read(title, 2), ...read(description, 1)]
}

function line(text: string, weight: number): Weighed {
  return { text: searchLine(text.slice(0, TEXT)), weight }
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
