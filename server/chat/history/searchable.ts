import { sql } from 'kysely'
import type { ConversationTable } from '../../db/rows/chat-tables.ts'
import type { Trx } from '../../db/database.ts'
import {
  appendLines,
  replaceTitle,
  type SearchableConversation,
  type SearchableLine,
  startLines,
} from '../../db/search-segments.ts'
import { change } from '../../db/statement.ts'
import { searchLine } from '../../kernel/text/search-words.ts'
import { cut, storable } from '../../kernel/text/plain-text.ts'

/** UTF-16 units of one part that are searchable. */
const FINDABLE = 50_000

/** The searchable text of a part; null if there is none. */
export function findable(message_id: string, part_index: number, text: string): SearchableLine | null {
  const line = searchLine(storable(cut(text, FINDABLE)))
  return line === '' ? null : { place: `${message_id}:${part_index}`, text: line }
}

/** The message and part that a line belongs to; null for the title. */
export function readPlace(place: string): { message_id: string; part_index: number } | null {
  if (place === '') return null
  const [message_id = '', part_index] = place.split(':')
  return { message_id, part_index: Number(part_index) }
}

/** Makes parts of messages searchable once `trx` commits. */
export async function indexParts(trx: Trx, conversation_id: string, lines: readonly SearchableLine[]): Promise<void> {
  if (lines.length > 0) await appendLines(trx, await lock(trx, conversation_id), lines)
}

/** The same, for a conversation whose row `trx` has already changed. */
export function indexPartsOf(
  trx: Trx,
  { conversation_id, user_id, title }: Pick<ConversationTable, 'conversation_id' | 'user_id' | 'title'>,
  lines: readonly SearchableLine[],
): Promise<void> {
  return appendLines(trx, { conversation_id, user_id, title: searchLine(title) }, lines)
}

/** Makes a conversation searchable that was named in `trx` and has not been searchable before. */
export function indexFirst(
  trx: Trx,
  { conversation_id, user_id, title }: Pick<ConversationTable, 'conversation_id' | 'user_id' | 'title'>,
  lines: readonly SearchableLine[],
): Promise<void> {
  return startLines(trx, { conversation_id, user_id, title: searchLine(title) }, lines)
}

/**
 * Indexes the text of an answer that is not indexed yet: a process that died in the middle stored the text without
 * finishing. Other parts are indexed as they are stored.
 */
export async function indexLeftOver(trx: Trx, message_id: string): Promise<void> {
  const said = await trx
    .selectFrom('message_part')
    .innerJoin('message', 'message.message_id', 'message_part.message_id')
    .select(['message.conversation_id', 'part_index', 'text'])
    .where('message_part.message_id', '=', message_id)
    .where('type', '=', 'text')
    .orderBy('part_index')
    .execute()
  if (said.length === 0) return
  const conversation = await lock(trx, said[0]!.conversation_id)
  const segments = await trx
    .selectFrom('search_segment')
    .select('places')
    .where('conversation_id', '=', conversation.conversation_id)
    .execute()
  const known = new Set(segments.flatMap(({ places }) => places.split('\n')))
  const lines = said.flatMap((part) => findable(message_id, part.part_index, part.text) ?? [])
  await appendLines(
    trx,
    conversation,
    lines.filter((line) => !known.has(line.place)),
  )
}

/** Makes a conversation searchable by its current title. */
export async function indexTitle(trx: Trx, conversation_id: string): Promise<void> {
  await replaceTitle(trx, await lock(trx, conversation_id))
}

/** Rewriting the row with its own value locks its segments against other transactions until this one ends. */
async function lock(trx: Trx, conversation_id: string): Promise<SearchableConversation> {
  const { user_id, title } = (await LOCK.first(trx, { conversation_id }))!
  return { conversation_id, user_id, title: searchLine(title) }
}

const LOCK = change((db, is: { conversation_id: string }) =>
  db
    .updateTable('conversation')
    .set({ title: sql.ref<string>('title') })
    .where('conversation_id', '=', is.conversation_id)
    .returning(['user_id', 'title']),
)
