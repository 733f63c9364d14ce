import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { gramsOf } from '../kernel/search-grams.ts'
import type { Tables } from './schema.ts'
import { LONG, ownerKey } from './search-condition.ts'
import type { SearchSegmentTable } from './search-tables.ts'

/** UTF-16 units after which a segment is full: writing one anew takes milliseconds, and few conversations need two. */
const SEGMENT = 8000
/** Segments written in a row before others get their turn. */
const TURN = 4
const REBUILT_AT_ONCE = 50

/** Where a text stands (`message_id:part_index`, empty for the title), and what searchLine() makes of it. */
export interface SearchableLine {
  readonly place: string
  readonly text: string
}

/** A conversation whose row this transaction has locked: two that write its segments at once would lose one's lines. */
export interface SearchableConversation {
  readonly conversation_id: string
  readonly user_id: string
  /** searchLine() of its title. */
  readonly title: string
}

/** Adds lines at the end of a conversation; a line whose place is there already replaces it. */
export async function appendLines(
  trx: Kysely<Tables>,
  conversation: SearchableConversation,
  lines: readonly SearchableLine[],
): Promise<void> {
  if (lines.length === 0) return
  const tail = await trx
    .selectFrom('search_segment')
    .selectAll()
    .where('conversation_id', '=', conversation.conversation_id)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!tail) return writeSegments(trx, conversation, 1, [{ place: '', text: conversation.title }, ...lines])
  const known = readLines(tail)
  const places = new Set(lines.map((line) => line.place))
  const again = known.some((line) => places.has(line.place))
  if (tail.body.length >= SEGMENT && !again) return writeSegments(trx, conversation, tail.position + 1, lines)
  const kept = known.filter((line) => !places.has(line.place))
  await trx.deleteFrom('search_segment').where('segment_id', '=', tail.segment_id).execute()
  await writeSegments(trx, conversation, tail.position, [...kept, ...lines])
}

/** Puts the title in the place of the one before. The conversation does not become newer by it. */
export async function replaceTitle(trx: Kysely<Tables>, conversation: SearchableConversation): Promise<void> {
  const head = await trx
    .selectFrom('search_segment')
    .selectAll()
    .where('conversation_id', '=', conversation.conversation_id)
    .where('position', '=', 1)
    .executeTakeFirst()
  const title = { place: '', text: conversation.title }
  if (!head) return writeSegments(trx, conversation, 1, [title])
  const lines = [title, ...readLines(head).slice(1)]
  const { segment_id, user_id, long } = head
  await trx.updateTable('search_segment').set(toColumns(lines)).where('segment_id', '=', segment_id).execute()
  await trx.deleteFrom('search_index').where('rowid', '=', segment_id).execute()
  await insertGrams(trx, segment_id, user_id, lines, long === 1)
}

/** Writes all lines of a conversation anew, the title excepted, which is added. */
export async function replaceLines(
  trx: Kysely<Tables>,
  conversation: SearchableConversation,
  lines: readonly SearchableLine[],
): Promise<void> {
  await trx.deleteFrom('search_segment').where('conversation_id', '=', conversation.conversation_id).execute()
  await writeSegments(trx, conversation, 1, [{ place: '', text: conversation.title }, ...lines])
}

/** Makes the index anew from the segments: after a restore, and where it is damaged. */
export async function rebuildSearchIndex(db: Kysely<Tables>): Promise<void> {
  const segments = db.selectFrom('search_segment').select('segment_id')
  await db.deleteFrom('search_index').where('rowid', 'not in', segments).execute()
  for (let after: number | null = 0; after !== null;) {
    after = await db.transaction().execute((trx) => indexAgain(trx, after!))
    await setImmediate()
  }
}

/** The next segments after `after`; the last of them, or null at the end. */
async function indexAgain(trx: Kysely<Tables>, after: number): Promise<number | null> {
  const segments = await trx
    .selectFrom('search_segment')
    .selectAll()
    .where('segment_id', '>', after)
    .orderBy('segment_id')
    .limit(REBUILT_AT_ONCE)
    .execute()
  for (const segment of segments) {
    const { segment_id, user_id, long } = segment
    await trx.deleteFrom('search_index').where('rowid', '=', segment_id).execute()
    await insertGrams(trx, segment_id, user_id, readLines(segment), long === 1)
  }
  return segments.at(-1)?.segment_id ?? null
}

export function readLines({ body, places }: Pick<SearchSegmentTable, 'body' | 'places'>): SearchableLine[] {
  const texts = body.split('\n')
  return places.split('\n').map((place, i) => ({ place, text: texts[i] ?? '' }))
}

async function writeSegments(
  trx: Kysely<Tables>,
  { conversation_id, user_id }: SearchableConversation,
  first: number,
  lines: readonly SearchableLine[],
): Promise<void> {
  let position = first
  for (let from = 0; from < lines.length; position++) {
    let to = from
    let length = -1
    while (to < lines.length && length < SEGMENT) length += lines[to++]!.text.length + 1
    const own = lines.slice(from, to)
    const long = position > 1 || length >= SEGMENT
    const { segment_id } = await trx
      .insertInto('search_segment')
      .values({ conversation_id, user_id, position, long: long ? 1 : 0, ...toColumns(own) })
      .returning('segment_id')
      .executeTakeFirstOrThrow()
    await insertGrams(trx, segment_id, user_id, own, long)
    from = to
    if (position % TURN === 0) await setImmediate()
  }
}

function toColumns(lines: readonly SearchableLine[]): { body: string; places: string } {
  return { body: lines.map((line) => line.text).join('\n'), places: lines.map((line) => line.place).join('\n') }
}

async function insertGrams(
  trx: Kysely<Tables>,
  segment_id: number,
  user_id: string,
  lines: readonly SearchableLine[],
  long: boolean,
): Promise<void> {
  const found = new Set<string>()
  for (const line of lines) gramsOf(line.text, found)
  if (long) found.add(LONG)
  const key = ownerKey(user_id)
  let grams = ''
  for (const gram of found) grams += ` ${key}${gram}`
  await trx
    .insertInto('search_index')
    .values({ rowid: segment_id, grams: grams.slice(1) })
    .execute()
}
