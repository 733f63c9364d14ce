import { holdsGrams, holdsText, indexOrder, longHits } from '../../db/search-condition.ts'
import { query } from '../../db/statement.ts'
import { gramsOfWord } from '../../kernel/text/search-grams.ts'
import {
  ASKED,
  type Candidate,
  holdAll,
  isAsked,
  type Looked,
  readLong,
  type Search,
  type Segment,
  SEGMENTS,
  type Source,
} from './candidate.ts'

const FIRST_BATCH = 128
const LARGEST_BATCH = 1024
const LONG_BATCH = 32

/** The conversations before a number that the index names for the words, newest first. */
export async function* indexCandidates(
  source: Source,
  search: Search,
  looked: Looked,
  from: number,
): AsyncGenerator<Candidate> {
  // A long conversation has the place of its newest segment, whichever segments hold the words, so it is searched
  // separately.
  const long = await longCandidates(source, search, from)
  let next = 0
  let read = new Map<string, Segment[]>()
  const longBefore = async function* (bound: number): AsyncGenerator<Candidate> {
    for (; next < long.length && long[next]!.order > bound; next++) {
      if (next % LONG_BATCH === 0)
        read = await readNewest(source, long.slice(next, next + LONG_BATCH), search.words, looked)
      const { conversation_id, order, segment_ids } = long[next]!
      let segments = read.get(conversation_id) ?? []
      const older = segment_ids.slice(SEGMENTS)
      if (older.length > 0 && !holdAll(segments, search.words))
        segments = [...(await readLong(source, conversation_id, search.words, looked, older)), ...segments]
      yield { conversation_id, order, segments }
    }
  }
  let before = from
  for (let batch = FIRST_BATCH; ; batch = Math.min(batch * 4, LARGEST_BATCH)) {
    const hits = await readBatch(source, search, before, batch)
    looked.left -= hits.length
    for (const hit of hits) {
      if (hit.body === null || !isAsked(hit, search)) continue
      yield* longBefore(hit.order)
      const segments = [{ body: hit.body, places: hit.places! }]
      yield { conversation_id: hit.conversation_id!, order: hit.order, segments }
    }
    if (hits.length < batch) break
    before = hits.at(-1)!.order
    if (looked.left <= 0) {
      looked.stoppedAt = before
      break
    }
  }
  yield* longBefore(looked.stoppedAt ?? 0)
}

/** The next places of the index in conversations of one segment; without their text if that doesn't hold the words. */
function readBatch({ reader, database }: Source, search: Search, before: number, batch: number) {
  const order = indexOrder(database)
  const grams = [...new Set(search.words.flatMap(gramsOfWord))]
  return reader
    .with(
      (cte) => cte('hit').materialized(),
      (db) =>
        db
          .selectFrom('search_index')
          .select('rowid')
          .where(holdsGrams(database, search.user_id, grams, { single: true }))
          .where(order, '<', before)
          .orderBy(order, 'desc')
          .limit(batch),
    )
    .selectFrom('hit')
    .leftJoin('search_segment as s', (join) =>
      join.onRef('s.segment_id', '=', 'hit.rowid').on(holdsText(database, 's.body', search.words, 'all')),
    )
    .leftJoin('conversation as c', 'c.conversation_id', 's.conversation_id')
    .select(['hit.rowid as order', 's.body', 's.places', 's.conversation_id', ...ASKED])
    .orderBy('hit.rowid', 'desc')
    .execute()
}

/** Of the newest segments of each of some long conversations, those that hold any of the words, oldest first. */
async function readNewest(
  { reader, database }: Source,
  long: readonly LongCandidate[],
  words: readonly string[],
  looked: Looked,
): Promise<Map<string, Segment[]>> {
  const ids = long.flatMap(({ segment_ids }) => segment_ids.slice(0, SEGMENTS))
  const rows = await reader
    .selectFrom('search_segment as s')
    .select(['s.conversation_id', 's.body', 's.places'])
    .where('s.segment_id', 'in', ids)
    .where(holdsText(database, 's.body', words, 'any'))
    .orderBy('s.segment_id')
    .execute()
  looked.left -= ids.length
  return Map.groupBy(rows, (row) => row.conversation_id)
}

interface LongCandidate {
  readonly conversation_id: string
  readonly order: number
  /** Those of its segments that may hold a word, newest first. */
  readonly segment_ids: readonly number[]
}

/** All multi-segment conversations that hold the grams of every word somewhere; there are few of them. */
async function longCandidates(source: Source, search: Search, before: number): Promise<LongCandidate[]> {
  const perWord: Map<string, readonly number[]>[] = []
  for (const word of search.words) {
    const hits = await longHits(source.reader, source.database, search.user_id, word)
    if (hits.length === 0) return []
    perWord.push(new Map(hits.map((hit) => [hit.conversation_id, hit.segment_ids])))
  }
  const shared = [...perWord[0]!.keys()].filter((id) => perWord.every((each) => each.has(id)))
  const rows = await LONG_CONVERSATIONS.all(source.reader, { ids: shared })
  return rows
    .filter((row) => row.order !== null && row.order < before && isAsked(row, search))
    .map(({ conversation_id, order }) => ({
      conversation_id,
      order: order!,
      segment_ids: [...new Set(perWord.flatMap((each) => each.get(conversation_id)!))].sort((a, b) => b - a),
    }))
    .sort((a, b) => b.order - a.order)
}

/** The last segment of a conversation is its newest. */
const LONG_CONVERSATIONS = query((db, is: { ids: readonly string[] }, anyOf) =>
  db
    .selectFrom('conversation as c')
    .select(['c.conversation_id', ...ASKED])
    .select((eb) =>
      eb
        .selectFrom('search_segment as s')
        .select('s.segment_id')
        .whereRef('s.conversation_id', '=', 'c.conversation_id')
        .orderBy('s.position', 'desc')
        .limit(1)
        .as('order'),
    )
    .where('c.conversation_id', 'in', anyOf(is.ids)),
)
