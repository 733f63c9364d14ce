import { sql } from 'kysely'
import type { ConversationTable } from '../../db/chat-tables.ts'
import type { Reader } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { Found } from './find-conversations.ts'
import { GONE } from '../history/gone.ts'

export interface ListQuery {
  readonly q: string
  readonly limit: number
  readonly cursor?: string | undefined
  readonly folder_id?: string | undefined
  readonly deleted: 'true' | 'false'
  readonly pinned?: 'true' | 'false' | undefined
}

/** Only what the list shows: these rows are read fifty at a time, all day long. */
export const LISTED = [
  'conversation_id',
  'title',
  'folder_id',
  'pinned',
  'created_at',
  'updated_at',
  'deleted_at',
  'imported_at',
] as const

export interface ListedConversation {
  readonly row: Pick<ConversationTable, (typeof LISTED)[number]>
  readonly snippet: string | null
  readonly hit: Found['hit']
}

export interface ConversationPage {
  readonly found: ListedConversation[]
  readonly next_cursor: string | null
}

/**
 * A user's conversations, newest first. @throws {AppError} invalid_request for a cursor that does not belong to this
 * list
 */
export async function listConversations(reader: Reader, user_id: string, query: ListQuery): Promise<ConversationPage> {
  let select = reader
    .selectFrom('conversation')
    .select(LISTED)
    .where('user_id', '=', user_id)
    .where((eb) => (query.deleted === 'true' ? eb('deleted_at', '>', GONE) : eb('deleted_at', 'is', null)))
    .orderBy('updated_at', 'desc')
    .orderBy('conversation_id', 'desc')
    .limit(query.limit + 1)
  if (query.folder_id !== undefined) select = select.where('folder_id', '=', query.folder_id)
  if (query.pinned !== undefined) select = select.where('pinned', '=', query.pinned === 'true' ? 1 : 0)
  if (query.cursor !== undefined) {
    const [updated_at, conversation_id] = readCursor(query.cursor)
    select = select.where(sql<boolean>`(updated_at, conversation_id) < (${updated_at}, ${conversation_id})`)
  }
  const rows = await select.execute()
  const kept = rows.slice(0, query.limit)
  const last = kept.at(-1)
  return {
    found: kept.map((row) => ({ row, snippet: null, hit: null })),
    next_cursor: rows.length > query.limit && last ? `${last.updated_at}.${last.conversation_id}` : null,
  }
}

function readCursor(cursor: string): [updated_at: number, conversation_id: string] {
  const match = /^(\d{1,16})\.(cnv_[0-9a-z]+)$/.exec(cursor)
  if (!match) throw badCursor()
  return [Number(match[1]), match[2]!]
}

export function badCursor(): AppError {
  return new AppError('invalid_request', say`The cursor is not one that this list gave.`, {
    errors: [{ path: 'cursor', message: 'not a cursor of this list' }],
  })
}
