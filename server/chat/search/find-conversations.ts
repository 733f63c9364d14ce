import type { Reader } from '../../db/database.ts'
import { readLines } from '../../db/search-segments.ts'
import { findWord } from '../../kernel/text/search-words.ts'
import { withoutMarks } from '../../kernel/text/without-marks.ts'
import { readPlace } from '../history/searchable.ts'
import { type Candidate, holdAll, type Looked, type Search, type Segment, type Source } from './candidate.ts'
import { indexCandidates } from './index-candidates.ts'
import { newestCandidates } from './newest-candidates.ts'
import { type Place, placeTexts, type PlaceText } from './place-texts.ts'
import { type Snippet, snippetOf } from './snippet.ts'

export interface Found {
  readonly conversation_id: string
  readonly snippet: string
  readonly hit: { message_id: string; ranges: [number, number][] } | null
}

export interface FoundPage {
  readonly found: Found[]
  /** Where the next page begins; null when there is none. May be set even if nothing more has been found yet. */
  readonly next: number | null
}

/** Segments examined by one search at most; then it answers with what it has and where to continue. */
const BUDGET = 20_000
/**
 * A user's conversations whose title or text contains every word, the most recently active first. The newest are looked
 * at themselves; unless they show that the words are common, the index names the candidates among the others. Their
 * text is checked until the page is full.
 */
export async function findConversations(
  reader: Reader,
  database: 'sqlite' | 'postgres',
  search: Search,
): Promise<FoundPage> {
  const found: Place[] = []
  const looked: Looked = { left: BUDGET, stoppedAt: null }
  let last: number | null = null
  for await (const { conversation_id, order, segments } of candidates({ reader, database }, search, looked)) {
    if (looked.left <= 0 && last !== null) return { found: await toFound(reader, found, search.words), next: last }
    if (holdAll(segments, search.words)) {
      if (found.length === search.limit) return { found: await toFound(reader, found, search.words), next: last }
      found.push(bestPlace(conversation_id, segments, search.words))
    }
    last = order
  }
  return { found: await toFound(reader, found, search.words), next: looked.stoppedAt }
}

async function* candidates(source: Source, search: Search, looked: Looked): AsyncGenerator<Candidate> {
  const goOn = yield* newestCandidates(source, search, looked)
  if (goOn !== null) yield* indexCandidates(source, search, looked, goOn)
}

/** The newest line that contains the most of the words. */
function bestPlace(conversation_id: string, segments: readonly Segment[], words: readonly string[]): Place {
  let best = ''
  let most = 0
  for (const segment of segments) {
    for (const line of readLines(segment)) {
      const count = words.filter((word) => findWord(line.text, word) >= 0).length
      if (count >= most && count > 0) [best, most] = [line.place, count]
    }
  }
  return { conversation_id, part: readPlace(best) }
}

/** Without the marks of Markdown, unless what was found is one of them, such as the address of a link. */
function snippetIn({ text, markdown }: PlaceText, words: readonly string[]): Snippet {
  const plain = markdown ? snippetOf(withoutMarks(text), words) : null
  return plain !== null && plain.ranges.length > 0 ? plain : snippetOf(text, words)
}

async function toFound(reader: Reader, places: readonly Place[], words: readonly string[]): Promise<Found[]> {
  const texts = await placeTexts(reader, places)
  return places.map(({ conversation_id, part }, i) => {
    const { text, ranges } = snippetIn(texts[i]!, words)
    return { conversation_id, snippet: text, hit: part && { message_id: part.message_id, ranges } }
  })
}
