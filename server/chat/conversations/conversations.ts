import type { z } from 'zod'
import type { ConversationEntry } from '../../../contract/chat.ts'
import type { Database, Reader, Trx } from '../../db/database.ts'
import type { ConversationTable } from '../../db/rows/chat-tables.ts'
import { insertRows } from '../../db/statement.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { newId } from '../../kernel/id.ts'
import { searchWords } from '../../kernel/text/search-words.ts'
import { cut, storable } from '../../kernel/text/plain-text.ts'
import { iso, isoOrNull } from '../../kernel/time.ts'
import { activeRun, activeRuns, runActive } from '../history/active-runs.ts'
import type { Activity } from '../history/activity.ts'
import { newestEnd } from '../history/branches.ts'
import { handedOver, noConversation } from './conversation-refusals.ts'
import { ADVANCE, END, FIND } from './conversation-statements.ts'
import { choiceOf, columnsOf } from './engine-choice.ts'
import { modulesColumn, modulesOf } from './tool-modules.ts'
import type { EngineChoice } from '../ports/model.ts'
import { GONE } from '../history/gone.ts'
import { holdQueued } from '../history/queued-rows.ts'
import { listConversations, type ListQuery } from '../search/list-conversations.ts'
import type { ConversationSearch } from '../search/search.ts'
import { indexTitle } from '../history/searchable.ts'

/** A conversation with the message that its shown branch ends with. */
export type ConversationEnd = Pick<
  ConversationTable,
  'conversation_id' | 'title_source' | 'head_message_id' | 'engine_id' | 'model' | 'tool_modules'
> & {
  /** Of the last message; null while there is none. */
  readonly position: number | null
}

/**
 * A user's conversations: list, open, rename, file, bin and restore. Other users' conversations do not exist for the
 * caller.
 */
export class Conversations {
  readonly #db: Database
  readonly #activity: Activity
  readonly #search: ConversationSearch

  constructor(db: Database, activity: Activity, search: ConversationSearch) {
    this.#db = db
    this.#activity = activity
    this.#search = search
  }

  async list(
    user_id: string,
    query: ListQuery,
  ): Promise<{ items: z.infer<typeof ConversationEntry>[]; next_cursor: string | null }> {
    const words = query.q === '' ? [] : searchWords(storable(query.q))
    const { found, next_cursor } =
      words.length === 0
        ? await listConversations(this.#db.read, user_id, query)
        : await this.#search.list(user_id, words, query)
    const runs = await activeRuns(this.#db.read, user_id)
    return {
      items: found.map(({ row, snippet, hit }) => ({
        conversation_id: row.conversation_id,
        title: row.title,
        folder_id: row.folder_id,
        pinned: row.pinned === 1,
        created_at: iso(row.created_at),
        updated_at: iso(row.updated_at),
        deleted_at: isoOrNull(row.deleted_at),
        imported_at: isoOrNull(row.imported_at),
        ...(row.kind === 'routine' && { routine: true as const }),
        active_run: runs.get(row.conversation_id) ?? null,
        failure: row.failure,
        snippet,
        hit,
      })),
      next_cursor,
    }
  }

  /** @throws {AppError} not_found when it does not exist, is in the bin, or belongs to another user. */
  async find(reader: Reader, user_id: string, conversation_id: string): Promise<ConversationTable> {
    const row = await FIND.first(reader, { user_id, conversation_id })
    if (!row) throw noConversation()
    return row
  }

  /** The conversation, for a message that continues it. @throws {AppError} not_found, handed_over, run_active */
  async findEnd(reader: Reader, user_id: string, conversation_id: string): Promise<ConversationEnd> {
    const row = await END.first(reader, { user_id, conversation_id })
    if (!row) throw noConversation()
    if (row.handed_over_at !== null) throw handedOver()
    if (row.active) throw runActive()
    return row
  }

  /** An empty conversation; without a name unless one is given. */
  async create(
    trx: Trx,
    user_id: string,
    begun: Partial<Omit<ConversationTable, 'conversation_id' | 'user_id'>> = {},
  ): Promise<string> {
    const conversation_id = newId('conversation')
    const now = Date.now()
    const row: ConversationTable = {
      conversation_id,
      user_id,
      folder_id: null,
      title: '',
      title_source: 'none',
      pinned: 0,
      head_message_id: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
      imported_at: null,
      engine_id: null,
      model: null,
      queued: 0,
      untrusted_at: null,
      untrusted_by: null,
      handed_over_at: null,
      kind: 'chat',
      tool_modules: null,
      loaded_tools: null,
      ...begun,
    }
    await insertRows(trx, 'conversation', [row])
    return conversation_id
  }

  /** Moves the end to a new answer, names it if it has no name, and returns its title. @throws {AppError} handed_over */
  async advance(
    trx: Trx,
    conversation_id: string,
    { head_message_id, name }: { readonly head_message_id: string; readonly name: string },
  ): Promise<string> {
    const row = await ADVANCE.first(trx, { conversation_id, head_message_id, name, now: Date.now() })
    if (row === undefined) throw handedOver()
    return row.title
  }

  async update(
    user_id: string,
    conversation_id: string,
    change: {
      title?: string | undefined
      pinned?: boolean | undefined
      engine?: EngineChoice | null | undefined
      modules?: readonly string[] | null | undefined
    },
  ) {
    return this.#db.transaction(async (trx) => {
      const row = await this.find(trx, user_id, conversation_id)
      const title = change.title === undefined ? row.title : storable(change.title)
      const pinned = change.pinned ?? row.pinned === 1
      const engine = change.engine === undefined ? choiceOf(row) : change.engine
      const chosen = change.modules === undefined ? row : modulesColumn(change.modules)
      await trx
        .updateTable('conversation')
        .set({
          title,
          title_source: change.title === undefined ? row.title_source : 'user',
          pinned: pinned ? 1 : 0,
          ...columnsOf(engine),
          tool_modules: chosen.tool_modules,
        })
        .where('conversation_id', '=', conversation_id)
        .execute()
      if (title !== row.title) await indexTitle(trx, conversation_id)
      await this.#activity.append(trx, user_id, [
        { type: 'conversation.updated', conversation_id, data: { title: cut(title, 200), pinned } },
      ])
      return { title, pinned, engine, modules: modulesOf(chosen) }
    })
  }

  /** Moves it to the bin; sessions that had it open then have none open. @throws {AppError} not_found, run_active */
  async delete(user_id: string, conversation_id: string): Promise<void> {
    await this.#db.transaction(async (trx) => {
      const { queued } = await this.find(trx, user_id, conversation_id)
      if (await activeRun(trx, conversation_id)) {
        throw new AppError('run_active', say`A run is active in this conversation. Stop it first.`)
      }
      await trx
        .updateTable('conversation')
        .set({ deleted_at: Date.now() })
        .where('conversation_id', '=', conversation_id)
        .execute()
      await trx
        .updateTable('chat_session')
        .set({ current_conversation_id: null })
        .where('current_conversation_id', '=', conversation_id)
        .execute()
      // Nothing is sent by itself when it is restored.
      if (queued > 0) await holdQueued(trx, conversation_id)
      await this.#activity.append(trx, user_id, [{ type: 'conversation.deleted', conversation_id }])
    })
  }

  async restore(user_id: string, conversation_id: string): Promise<void> {
    await this.#db.transaction(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('conversation')
        .set({ deleted_at: null })
        .where('conversation_id', '=', conversation_id)
        .where('user_id', '=', user_id)
        .where('deleted_at', '>', GONE)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) throw new AppError('not_found', say`There is no such conversation in the bin.`)
      await this.#activity.append(trx, user_id, [{ type: 'conversation.updated', conversation_id }])
    })
  }

  /** Switches to the branch with this message, down to its newest end. @throws {AppError} not_found, run_active */
  async chooseBranch(user_id: string, conversation_id: string, message_id: string): Promise<void> {
    await this.#db.transaction(async (trx) => {
      await this.find(trx, user_id, conversation_id)
      const message = await trx
        .selectFrom('message')
        .select('message_id')
        .where('message_id', '=', message_id)
        .where('conversation_id', '=', conversation_id)
        .executeTakeFirst()
      if (!message) throw new AppError('not_found', say`There is no such message in this conversation.`)
      if (await activeRun(trx, conversation_id)) {
        throw new AppError('run_active', say`A run is active in this conversation. Wait for it or stop it.`)
      }
      await trx
        .updateTable('conversation')
        .set({ head_message_id: await newestEnd(trx, conversation_id, message_id) })
        .where('conversation_id', '=', conversation_id)
        .execute()
      await this.#activity.append(trx, user_id, [
        { type: 'conversation.updated', conversation_id, data: { branch: true } },
      ])
    })
  }

  /** Notifies the owner's other pages that the conversation changed. */
  async tell(trx: Trx, user_id: string, conversation_id: string): Promise<void> {
    await this.#activity.append(trx, user_id, [{ type: 'conversation.updated', conversation_id }])
  }

  async assignFolder(user_id: string, conversation_id: string, folder_id: string | null): Promise<void> {
    await this.#db.transaction(async (trx) => {
      await this.find(trx, user_id, conversation_id)
      if (folder_id !== null) {
        const folder = await trx
          .selectFrom('folder')
          .select('folder_id')
          .where('folder_id', '=', folder_id)
          .where('user_id', '=', user_id)
          .executeTakeFirst()
        if (!folder) throw new AppError('not_found', say`There is no such folder.`)
      }
      await trx.updateTable('conversation').set({ folder_id }).where('conversation_id', '=', conversation_id).execute()
      await this.#activity.append(trx, user_id, [
        { type: 'conversation.updated', conversation_id, data: { folder_id } },
      ])
    })
  }
}
