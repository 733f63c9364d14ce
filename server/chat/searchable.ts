import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import {
  appendLines,
  replaceLines,
  replaceTitle,
  type SearchableConversation,
  type SearchableLine,
} from '../db/search-segments.ts'
import { searchLine } from '../kernel/search-words.ts'
import { cut, storable } from '../kernel/text.ts'

/** UTF-16 units of one part that a search can find. */
const FINDABLE = 50_000

/** What a search should find of a part; null where it should find nothing. */
export function findable(message_id: string, part_index: number, text: string): SearchableLine | null {
  const line = searchLine(storable(cut(text, FINDABLE)))
  return line === '' ? null : { place: `${message_id}:${part_index}`, text: line }
}

/** The message and the part of a line; null for the title. */
export function readPlace(place: string): { message_id: string; part_index: number } | null {
  if (place === '') return null
  const [message_id = '', part_index] = place.split(':')
  return { message_id, part_index: Number(part_index) }
}

/** Makes parts of a message found, from the commit of `trx` on. */
export async function indexParts(trx: Trx, message_id: string, lines: readonly SearchableLine[]): Promise<void> {
  if (lines.length === 0) return
  const { conversation_id } = await trx
    .selectFrom('message')
    .select('conversation_id')
    .where('message_id', '=', message_id)
    .executeTakeFirstOrThrow()
  await appendLines(trx, await lock(trx, conversation_id), lines)
}

/**
 * Makes what an answer said found, as far as it is not: a process that died in the middle of it stored the text without
 * coming to its end. Other parts are found from the moment they are stored.
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

/** Makes a conversation found by the title that it has now. */
export async function indexTitle(trx: Trx, conversation_id: string): Promise<void> {
  await replaceTitle(trx, await lock(trx, conversation_id))
}

/** Makes a conversation found by these lines and its title, and by nothing else. */
export async function indexConversation(
  trx: Trx,
  conversation_id: string,
  lines: readonly SearchableLine[],
): Promise<void> {
  await replaceLines(trx, await lock(trx, conversation_id), lines)
}

/** Writing the row, with what it holds, keeps other transactions from its segments until this one ends. */
async function lock(trx: Trx, conversation_id: string): Promise<SearchableConversation> {
  const { user_id, title } = await trx
    .updateTable('conversation')
    .set({ title: sql.ref<string>('title') })
    .where('conversation_id', '=', conversation_id)
    .returning(['user_id', 'title'])
    .executeTakeFirstOrThrow()
  return { conversation_id, user_id, title: searchLine(title) }
}
