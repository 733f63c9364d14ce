import { holdsText } from '../../db/search-condition.ts'
import { query } from '../../db/statement.ts'
import {
  ASKED,
  type Candidate,
  holdAll,
  isAsked,
  type Looked,
  readLong,
  type Search,
  type Segment,
  type Source,
} from './candidate.ts'

const FIRST_BATCH = 100
const LARGEST_BATCH = 800
/** Words in fewer of the newest conversations than one in this many are looked up in the index instead. */
const COMMON = 20

/**
 * The newest conversations that hold the words, by looking at them one after the other: for words that are in many of
 * them, this fills a page long before the index has named all their places. Returns where the index should go on,
 * because the words turned out to be rarer than that; null when there is nothing more.
 */
export async function* newestCandidates(
  source: Source,
  search: Search,
  looked: Looked,
): AsyncGenerator<Candidate, number | null> {
  let before = search.before ?? Number.MAX_SAFE_INTEGER
  let seen = 0
  let holding = 0
  for (let batch = FIRST_BATCH; ; batch = Math.min(batch * 2, LARGEST_BATCH)) {
    const newest = await NEWEST.all(source.reader, { user_id: search.user_id, before, batch })
    seen += newest.length
    looked.left -= newest.length
    const texts = await textsOf(source, newest, search.words)
    for (const { segment_id, conversation_id, long, later } of newest) {
      // A conversation has the place of its newest segment; this is another one.
      if (later === 1) continue
      const text = texts.get(segment_id)
      let segments: readonly Segment[] = text ? [text] : []
      if (long === 1 && !holdAll(segments, search.words))
        segments = await readLong(source, conversation_id, search.words, looked)
      if (!holdAll(segments, search.words)) continue
      holding++
      if (isAsked(text ?? (await conversationOf(source, conversation_id)), search))
        yield { conversation_id, order: segment_id, segments }
    }
    if (newest.length < batch) return null
    before = newest.at(-1)!.segment_id
    if (looked.left <= 0) {
      looked.stoppedAt = before
      return null
    }
    if (holding * COMMON < seen) return before
  }
}

/** The owner's newest segments before a number. `later`: 1 if the conversation has another one after it. */
const NEWEST = query((db, is: { user_id: string; before: number; batch: number }) =>
  db
    .selectFrom('search_segment as s')
    .select(['s.segment_id', 's.conversation_id', 's.long'])
    .select((eb) =>
      eb
        .case()
        .when('s.long', '=', 0)
        .then(0)
        .when(
          eb.exists(
            eb
              .selectFrom('search_segment as n')
              .select('n.segment_id')
              .whereRef('n.conversation_id', '=', 's.conversation_id')
              .whereRef('n.segment_id', '>', 's.segment_id'),
          ),
        )
        .then(1)
        .else(0)
        .end()
        .as('later'),
    )
    .where('s.user_id', '=', is.user_id)
    .where('s.segment_id', '<', is.before)
    .orderBy('s.segment_id', 'desc')
    .limit(is.batch),
)

/** Of these segments, those that hold all the words, with their conversation. */
async function textsOf(
  { reader, database }: Source,
  newest: readonly { segment_id: number; later: number }[],
  words: readonly string[],
) {
  const ids = newest.filter((each) => each.later === 0).map((each) => each.segment_id)
  if (ids.length === 0) return new Map<number, never>()
  const rows = await reader
    .selectFrom('search_segment as s')
    .innerJoin('conversation as c', 'c.conversation_id', 's.conversation_id')
    .select(['s.segment_id', 's.body', 's.places', ...ASKED])
    .where('s.segment_id', 'in', ids)
    .where(holdsText(database, 's.body', words, 'all'))
    .execute()
  return new Map(rows.map((row) => [row.segment_id, row]))
}

async function conversationOf({ reader }: Source, conversation_id: string) {
  return reader
    .selectFrom('conversation as c')
    .select(ASKED)
    .where('c.conversation_id', '=', conversation_id)
    .executeTakeFirstOrThrow()
}
