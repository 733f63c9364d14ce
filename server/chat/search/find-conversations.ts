import type { Reader } from '../../db/database.ts'
import { holdsGrams, indexOrder, LONG } from '../../db/search-condition.ts'
import { readLines } from '../../db/search-segments.ts'
import { gramsOfWord } from '../../kernel/text/search-grams.ts'
import { findWord } from '../../kernel/text/search-words.ts'
import { withoutMarks } from '../../kernel/text/without-marks.ts'
import { type Place, placeTexts, type PlaceText } from './place-texts.ts'
import { GONE } from '../history/gone.ts'
import { readPlace } from '../history/searchable.ts'
import { type Snippet, snippetOf } from './snippet.ts'

export interface Search {
  readonly user_id: string
  /** Folded, distinct, at least one (searchWords). */
  readonly words: readonly string[]
  readonly limit: number
  /** Only results after this one of an earlier answer (`order`). */
  readonly before: number | null
  readonly folder_id?: string | undefined
  readonly deleted: boolean
  readonly pinned?: boolean | undefined
}

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
const FIRST_BATCH = 64
const LARGEST_BATCH = 1024
/** Segments of a long conversation read at a time. */
const SEGMENTS = 8

interface Candidate {
  readonly conversation_id: string
  /** The newest segment of the conversation: the most recently active one comes first. */
  readonly order: number
  /** Its texts; null: spread over several segments that are still to be read. */
  readonly segments: readonly Segment[] | null
}
/** What is left of the budget, and where in the index it ran out. */
interface Looked {
  left: number
  stoppedAt: number | null
}
interface Segment {
  readonly body: string
  readonly places: string
}

/**
 * A user's conversations whose title or text contains every word, the most recently active first. The index names
 * candidates, newest first; their text is then checked until the page is full.
 */
export async function findConversations(
  reader: Reader,
  database: 'sqlite' | 'postgres',
  search: Search,
): Promise<FoundPage> {
  const found: Place[] = []
  const looked: Looked = { left: BUDGET, stoppedAt: null }
  let last: number | null = null
  for await (const candidate of candidates(reader, database, search, looked)) {
    if (looked.left <= 0 && last !== null) return { found: await toFound(reader, found, search.words), next: last }
    const segments = candidate.segments ?? (await readSegments(reader, candidate.conversation_id, search.words, looked))
    if (holdAll(segments, search.words)) {
      if (found.length === search.limit) return { found: await toFound(reader, found, search.words), next: last }
      found.push(bestPlace(candidate.conversation_id, segments, search.words))
    }
    last = candidate.order
  }
  return { found: await toFound(reader, found, search.words), next: looked.stoppedAt }
}

/** Candidates the index names and the caller asked for, newest first. */
async function* candidates(
  reader: Reader,
  database: 'sqlite' | 'postgres',
  search: Search,
  looked: Looked,
): AsyncGenerator<Candidate> {
  const long = await longCandidates(reader, database, search)
  const grams = [...new Set(search.words.flatMap(gramsOfWord))]
  // A long conversation is placed by its newest segment, whichever segments hold the words, so it is searched
  // separately.
  const condition = holdsGrams(database, search.user_id, grams, { single: true })
  let next = 0
  let before = search.before ?? Number.MAX_SAFE_INTEGER
  for (let batch = FIRST_BATCH; ; batch = Math.min(batch * 4, LARGEST_BATCH)) {
    const hits = await readBatch(reader, database, condition, before, batch)
    looked.left -= hits.length
    for (const hit of hits) {
      if (!isAsked(hit, search)) continue
      for (; next < long.length && long[next]!.order > hit.order; next++) yield long[next]!
      yield {
        conversation_id: hit.conversation_id!,
        order: hit.order,
        segments: [{ body: hit.body!, places: hit.places! }],
      }
    }
    if (hits.length < batch) break
    before = hits.at(-1)!.order
    if (looked.left <= 0) {
      looked.stoppedAt = before
      break
    }
  }
  const stop = looked.stoppedAt ?? 0
  for (; next < long.length && long[next]!.order > stop; next++) yield long[next]!
}

function readBatch(
  reader: Reader,
  database: 'sqlite' | 'postgres',
  condition: ReturnType<typeof holdsGrams>,
  before: number,
  batch: number,
) {
  const order = indexOrder(database)
  return reader
    .with(
      (cte) => cte('hit').materialized(),
      (db) =>
        db
          .selectFrom('search_index')
          .select('rowid')
          .where(condition)
          .where(order, '<', before)
          .orderBy(order, 'desc')
          .limit(batch),
    )
    .selectFrom('hit')
    .leftJoin('search_segment as s', 's.segment_id', 'hit.rowid')
    .leftJoin('conversation as c', 'c.conversation_id', 's.conversation_id')
    .select(['hit.rowid as order', 's.body', 's.places', 's.conversation_id'])
    .select(['c.user_id', 'c.folder_id', 'c.deleted_at', 'c.pinned'])
    .orderBy('hit.rowid', 'desc')
    .execute()
}

function isAsked(
  row: { user_id: string | null; folder_id: string | null; deleted_at: number | null; pinned: number | null },
  { user_id, folder_id, deleted, pinned }: Search,
): boolean {
  return (
    row.user_id === user_id &&
    (deleted ? row.deleted_at !== null && row.deleted_at > GONE : row.deleted_at === null) &&
    (folder_id === undefined || row.folder_id === folder_id) &&
    (pinned === undefined || (row.pinned === 1) === pinned)
  )
}

/** All multi-segment conversations that hold the grams of every word somewhere; there are few of them. */
async function longCandidates(reader: Reader, database: 'sqlite' | 'postgres', search: Search): Promise<Candidate[]> {
  let select = reader
    .selectFrom('search_segment as s')
    .innerJoin('conversation as c', 'c.conversation_id', 's.conversation_id')
    .select(['s.conversation_id', 'c.user_id', 'c.folder_id', 'c.deleted_at', 'c.pinned'])
    .select(({ fn }) => fn.max('s.segment_id').as('order'))
    .groupBy(['s.conversation_id', 'c.user_id', 'c.folder_id', 'c.deleted_at', 'c.pinned'])
  for (const word of search.words) {
    const condition = holdsGrams(database, search.user_id, [LONG, ...gramsOfWord(word)])
    select = select.where('s.conversation_id', 'in', (eb) =>
      eb
        .selectFrom('search_index')
        .innerJoin('search_segment', 'search_segment.segment_id', 'search_index.rowid')
        .select('search_segment.conversation_id')
        .where(condition),
    )
  }
  const rows = await select.execute()
  return rows
    .filter((row) => isAsked(row, search) && (search.before === null || row.order < search.before))
    .map(({ conversation_id, order }) => ({ conversation_id, order, segments: null }))
    .sort((a, b) => b.order - a.order)
}

function holdAll(segments: readonly Segment[], words: readonly string[]): boolean {
  return words.every((word) => segments.some((segment) => findWord(segment.body, word) >= 0))
}

/**
 * The newest segments of a conversation, as many as it takes to find all the words, or all segments if they are not
 * found.
 */
async function readSegments(
  reader: Reader,
  conversation_id: string,
  words: readonly string[],
  looked: Looked,
): Promise<Segment[]> {
  const segments: Segment[] = []
  for (;;) {
    const page = await reader
      .selectFrom('search_segment')
      .select(['body', 'places'])
      .where('conversation_id', '=', conversation_id)
      .orderBy('position', 'desc')
      .limit(SEGMENTS)
      .offset(segments.length)
      .execute()
    segments.unshift(...page.reverse())
    looked.left -= page.length
    if (page.length < SEGMENTS || holdAll(segments, words)) return segments
  }
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
