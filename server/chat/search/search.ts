import type { Database } from '../../db/database.ts'
import { GONE } from '../history/gone.ts'
import type { Search } from './candidate.ts'
import { findConversations, type FoundPage } from './find-conversations.ts'
import { badCursor, type ConversationPage, failure, LISTED, type ListQuery } from './list-conversations.ts'
import { SearchThread } from './search-thread.ts'

/**
 * Finds conversations by their titles, message texts, tool arguments and file names. An embedded database is searched
 * by a thread with its own connection, so that no search delays other work; a database server is queried directly.
 */
export class ConversationSearch implements AsyncDisposable {
  readonly #db: Database
  readonly #thread: SearchThread | null

  constructor(db: Database) {
    this.#db = db
    this.#thread = db.dialect.file === null ? null : new SearchThread(db.dialect.file)
  }

  /**
   * Conversations that contain every (folded) word. @throws {AppError} invalid_request for a cursor that does not
   * belong to this search
   */
  async list(user_id: string, words: readonly string[], query: ListQuery): Promise<ConversationPage> {
    const { found, next } = await this.#find({
      user_id,
      words,
      limit: query.limit,
      before: query.cursor === undefined ? null : readCursor(query.cursor),
      folder_id: query.folder_id,
      deleted: query.deleted === 'true',
      pinned: query.pinned === undefined ? undefined : query.pinned === 'true',
    })
    const next_cursor = next === null ? null : String(next)
    if (found.length === 0) return { found: [], next_cursor }
    const ids = found.map((each) => each.conversation_id)
    // They may have been deleted in the meantime.
    const rows = await this.#db.read
      .selectFrom('conversation')
      .select(LISTED)
      .select(failure)
      .where('conversation_id', 'in', ids)
      .where('user_id', '=', user_id)
      .where((eb) => (query.deleted === 'true' ? eb('deleted_at', '>', GONE) : eb('deleted_at', 'is', null)))
      .execute()
    const byId = new Map(rows.map((row) => [row.conversation_id, row]))
    return {
      found: found.flatMap(({ conversation_id, snippet, hit }) => {
        const row = byId.get(conversation_id)
        return row ? [{ row, snippet, hit }] : []
      }),
      next_cursor,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.[Symbol.asyncDispose]()
  }

  #find(search: Search): Promise<FoundPage> {
    return this.#thread ? this.#thread.find(search) : findConversations(this.#db.read, this.#db.dialect.name, search)
  }
}

function readCursor(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw badCursor()
  return Number(cursor)
}
