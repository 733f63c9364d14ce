import { sql } from 'kysely'
import type { Reader } from '../db/database.ts'
import type { ConversationTable } from '../db/chat-tables.ts'
import { cut, fold, likePattern, storable } from '../kernel/text.ts'

export interface SearchQuery {
  readonly q: string
  readonly limit: number
  readonly after: { updated_at: number; conversation_id: string } | null
  readonly folder_id?: string | undefined
  readonly deleted: 'true' | 'false'
  readonly pinned?: 'true' | 'false' | undefined
}

/** Only what the list shows: rows are read by the fifty, all day long. */
const COLUMNS = ['conversation_id', 'title', 'folder_id', 'pinned', 'created_at', 'updated_at', 'deleted_at'] as const
export type FoundConversation = Pick<ConversationTable, (typeof COLUMNS)[number]>

const SNIPPET_BEFORE = 40
const SNIPPET = 160

/**
 * Conversations of a user, newest first, one more than `limit` where there are more. With `q`, those whose title or
 * whose stored text (messages, tool arguments, file names) holds every word, in any case and with any accents.
 */
export async function searchConversations(
  reader: Reader,
  user_id: string,
  query: SearchQuery,
): Promise<{ row: FoundConversation; snippet: string | null }[]> {
  const words = fold(storable(query.q)).split(/\s+/u).filter(Boolean)
  let select = reader
    .selectFrom('conversation')
    .select(COLUMNS)
    .where('user_id', '=', user_id)
    .where('deleted_at', query.deleted === 'true' ? 'is not' : 'is', null)
    .orderBy('updated_at', 'desc')
    .orderBy('conversation_id', 'desc')
    .limit(query.limit + 1)
  if (query.folder_id !== undefined) select = select.where('folder_id', '=', query.folder_id)
  if (query.pinned !== undefined) select = select.where('pinned', '=', query.pinned === 'true' ? 1 : 0)
  if (query.after) {
    const { updated_at, conversation_id } = query.after
    select = select.where(sql<boolean>`(updated_at, conversation_id) < (${updated_at}, ${conversation_id})`)
  }
  for (const word of words) {
    const pattern = likePattern(word)
    select = select.where((eb) =>
      eb.or([
        sql<boolean>`title_folded like ${pattern} escape '\\'`,
        eb.exists(
          eb
            .selectFrom('message')
            .innerJoin('message_part', 'message_part.message_id', 'message.message_id')
            .select('message.message_id')
            .whereRef('message.conversation_id', '=', 'conversation.conversation_id')
            .where(sql<boolean>`message_part.text_folded like ${pattern} escape '\\'`),
        ),
      ]),
    )
  }
  const rows = await select.execute()
  if (words.length === 0) return rows.map((row) => ({ row, snippet: null }))
  return Promise.all(rows.map(async (row) => ({ row, snippet: await snippet(reader, row, words[0]!) })))
}

async function snippet(reader: Reader, row: FoundConversation, word: string): Promise<string> {
  const hit = await reader
    .selectFrom('message')
    .innerJoin('message_part', 'message_part.message_id', 'message.message_id')
    .select('message_part.text_folded')
    .where('message.conversation_id', '=', row.conversation_id)
    .where(sql<boolean>`message_part.text_folded like ${likePattern(word)} escape '\\'`)
    .orderBy('message.position', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!hit) return row.title
  const at = Math.max(0, hit.text_folded.indexOf(word) - SNIPPET_BEFORE)
  return `${at > 0 ? '…' : ''}${cut(hit.text_folded.slice(at), SNIPPET)}`
}
