import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { gramsOf } from '../kernel/text/search-grams.ts'
import type { Tables } from './schema.ts'
import { LONG, ownerKey } from './search-condition.ts'
import type { SearchSegmentTable } from './rows/search-tables.ts'
import { change, insertRows, query } from './statement.ts'

/** Characters after which a segment is full: rewriting one takes milliseconds, and few conversations need two. */
const SEGMENT = 8000
const REBUILT_AT_ONCE = 5

/** The position of a text (`message_id:part_index`, empty for the title), and its searchLine(). */
export interface SearchableLine {
  readonly place: string
  readonly text: string
}

/**
 * A conversation whose row this transaction has locked: two transactions writing its segments at once would lose lines.
 */
export interface SearchableConversation {
  readonly conversation_id: string
  readonly user_id: string
  /** searchLine() of its title. */
  readonly title: string
}

/** A segment to be written. */
export interface NewSegment {
  readonly position: number
  readonly lines: readonly SearchableLine[]
  readonly long: boolean
}

/** Writes the first lines of a conversation that has none yet, after its title. */
export function startLines(
  trx: Kysely<Tables>,
  conversation: SearchableConversation,
  lines: readonly SearchableLine[],
): Promise<void> {
  return writeSegments(trx, conversation, 1, [{ place: '', text: conversation.title }, ...lines])
}

/** Appends lines to a conversation; a line whose position already exists replaces it. */
export async function appendLines(
  trx: Kysely<Tables>,
  conversation: SearchableConversation,
  lines: readonly SearchableLine[],
): Promise<void> {
  if (lines.length === 0) return
  const places = new Set(lines.map((line) => line.place))
  const { conversation_id } = conversation
  let tail = await TAKE_OPEN_TAIL.first(trx, { conversation_id, full: SEGMENT })
  if (!tail) {
    tail = await TAIL.first(trx, { conversation_id })
    if (!tail) return startLines(trx, conversation, lines)
    // It is full: it changes only for a line of its own.
    if (!readLines(tail).some((line) => places.has(line.place)))
      return writeSegments(trx, conversation, tail.position + 1, lines)
    await trx.deleteFrom('search_segment').where('segment_id', '=', tail.segment_id).execute()
  }
  const kept = readLines(tail).filter((line) => !places.has(line.place))
  await writeSegments(trx, conversation, tail.position, [...kept, ...lines])
}

const TAIL = query((db, is: { conversation_id: string }) =>
  db
    .selectFrom('search_segment')
    .selectAll()
    .where('conversation_id', '=', is.conversation_id)
    .orderBy('position', 'desc')
    .limit(1),
)

/** Removes the last segment, to be written again, unless it has reached `full` characters. */
const TAKE_OPEN_TAIL = change((db, is: { conversation_id: string; full: number }) =>
  db
    .deleteFrom('search_segment')
    .where('segment_id', '=', (segment) =>
      segment
        .selectFrom('search_segment')
        .select('segment_id')
        .where('conversation_id', '=', is.conversation_id)
        .orderBy('position', 'desc')
        .limit(1),
    )
    .where((segment) => segment(segment.fn<number>('length', ['body']), '<', is.full))
    .returningAll(),
)

/** Replaces the title. This doesn't make the conversation newer. */
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

/** Rewrites all lines of a conversation except the title, which is added. */
export async function replaceLines(
  trx: Kysely<Tables>,
  conversation: SearchableConversation,
  lines: readonly SearchableLine[],
): Promise<void> {
  await trx.deleteFrom('search_segment').where('conversation_id', '=', conversation.conversation_id).execute()
  await writeSegments(trx, conversation, 1, [{ place: '', text: conversation.title }, ...lines])
}

/** Rebuilds the index from the segments: after a restore, and when it is damaged. */
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
  conversation: SearchableConversation,
  first: number,
  lines: readonly SearchableLine[],
): Promise<void> {
  for (const segment of cutSegments(lines, first)) await writeSegment(trx, conversation, segment)
}

/** Splits the lines of a conversation into segments, starting at the position `first`. */
export function cutSegments(lines: readonly SearchableLine[], first = 1): NewSegment[] {
  const segments: NewSegment[] = []
  for (let from = 0; from < lines.length;) {
    let to = from
    let length = -1
    while (to < lines.length && length < SEGMENT) length += lines[to++]!.text.length + 1
    const position = first + segments.length
    segments.push({ position, lines: lines.slice(from, to), long: position > 1 || length >= SEGMENT })
    from = to
  }
  return segments
}

/** Writes one segment and its index entry: takes milliseconds. */
export async function writeSegment(
  trx: Kysely<Tables>,
  { conversation_id, user_id }: Pick<SearchableConversation, 'conversation_id' | 'user_id'>,
  { position, lines, long }: NewSegment,
): Promise<void> {
  const row = { conversation_id, user_id, position, long: long ? 1 : 0, ...toColumns(lines) }
  const { segment_id } = (await INSERT_SEGMENT.first(trx, row))!
  await insertGrams(trx, segment_id, user_id, lines, long)
}

const INSERT_SEGMENT = change((db, is: Omit<SearchSegmentTable, 'segment_id'>) =>
  db
    .insertInto('search_segment')
    .values({
      conversation_id: is.conversation_id,
      user_id: is.user_id,
      position: is.position,
      long: is.long,
      body: is.body,
      places: is.places,
    })
    .returning('segment_id'),
)

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
  await insertRows(trx, 'search_index', [{ rowid: segment_id, grams: grams.slice(1) }])
}
