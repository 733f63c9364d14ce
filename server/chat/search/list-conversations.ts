import { type ExpressionBuilder, sql } from 'kysely'
import type { ConversationTable } from '../../db/rows/chat-tables.ts'
import type { Reader } from '../../db/database.ts'
import type { Tables } from '../../db/schema.ts'
import { query as statement } from '../../db/statement.ts'
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
  'kind',
] as const

/** The error code of the answer that a conversation ends with, if that failed. */
export function failure(conversation: ExpressionBuilder<Tables, 'conversation'>) {
  return conversation
    .selectFrom('message')
    .innerJoin('run', 'run.run_id', 'message.run_id')
    .whereRef('message.message_id', '=', 'conversation.head_message_id')
    .where('message.status', '=', 'failed')
    .select(({ fn }) => fn.coalesce('run.error_code', sql.lit('run_failed')).as('code'))
    .as('failure')
}

export interface ListedConversation {
  readonly row: Pick<ConversationTable, (typeof LISTED)[number]> & { readonly failure: string | null }
  readonly snippet: string | null
  readonly hit: Found['hit']
}

export interface ConversationPage {
  readonly found: ListedConversation[]
  readonly next_cursor: string | null
}

/** What makes one list another statement; the values are bound to it. */
interface Shape {
  readonly inBin: boolean
  readonly inFolder: boolean
  readonly pinned: ListQuery['pinned']
  readonly continued: boolean
}
interface Values {
  readonly user_id: string
  readonly rows: number
  readonly folder_id: string
  readonly updated_at: number
  readonly conversation_id: string
  readonly [name: string]: string | number
}

function listOf({ inBin, inFolder, pinned, continued }: Shape) {
  return statement((db, is: Values) =>
    db
      .selectFrom('conversation')
      .select(LISTED)
      .select(failure)
      .where('user_id', '=', is.user_id)
      // As in the index conversation_listed.
      .where('kind', '<>', sql.lit('gateway'))
      .where((eb) => (inBin ? eb('deleted_at', '>', GONE) : eb('deleted_at', 'is', null)))
      .$if(inFolder, (select) => select.where('folder_id', '=', is.folder_id))
      .$if(pinned !== undefined, (select) => select.where('pinned', '=', pinned === 'true' ? 1 : 0))
      .$if(continued, (select) =>
        select.where(sql<boolean>`(updated_at, conversation_id) < (${is.updated_at}, ${is.conversation_id})`),
      )
      .orderBy('updated_at', 'desc')
      .orderBy('conversation_id', 'desc')
      .limit(is.rows),
  )
}

/** The statements of the lists asked for so far, by shape: 24 at most. */
const lists = new Map<string, ReturnType<typeof listOf>>()

/**
 * A user's conversations, newest first. @throws {AppError} invalid_request for a cursor that does not belong to this
 * list
 */
export async function listConversations(reader: Reader, user_id: string, query: ListQuery): Promise<ConversationPage> {
  const { folder_id, pinned, cursor, limit } = query
  const shape: Shape = {
    inBin: query.deleted === 'true',
    inFolder: folder_id !== undefined,
    pinned,
    continued: cursor !== undefined,
  }
  const [updated_at, conversation_id] = cursor === undefined ? [0, ''] : readCursor(cursor)
  const key = JSON.stringify(shape)
  let list = lists.get(key)
  if (!list) lists.set(key, (list = listOf(shape)))
  const values = { user_id, folder_id: folder_id ?? '', updated_at, conversation_id, rows: limit + 1 }
  const rows = await list.all(reader, values)
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  return {
    found: kept.map((row) => ({ row, snippet: null, hit: null })),
    next_cursor: rows.length > limit && last ? `${last.updated_at}.${last.conversation_id}` : null,
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
