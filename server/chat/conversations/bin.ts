import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { eraseConversation, type EraserPorts } from './erase-conversation.ts'
import { eraseHandovers } from './erase-handovers.ts'
import { GONE } from '../history/gone.ts'
import { isGone, type LeaseOwner } from '../run/leases.ts'

const KEEP = 30 * 24 * 3_600_000
const BATCH = 50

/**
 * Deleted conversations: kept for 30 days, then permanently removed with everything that belongs to them. A purge first
 * marks the conversation GONE, then removes it in steps; the sweep finishes interrupted purges and imports.
 */
export class Bin {
  readonly #ports: EraserPorts
  readonly #db: Database
  readonly #owner: LeaseOwner

  constructor(ports: EraserPorts, owner: LeaseOwner) {
    this.#ports = ports
    this.#db = ports.db
    this.#owner = owner
  }

  /** @throws {AppError} not_found when it is not in the user's bin. */
  async purge(user_id: string, conversation_id: string): Promise<void> {
    const [row] = await this.#hide(user_id, [conversation_id])
    if (!row) throw new AppError('not_found', say`There is no such conversation in the bin.`)
    await eraseConversation(this.#ports, { user_id, conversation_id })
  }

  /** Empties the user's bin and returns how many conversations were removed. */
  async empty(user_id: string): Promise<number> {
    for (let purged = 0; ;) {
      const rows = await this.#db.read
        .selectFrom('conversation')
        .select('conversation_id')
        .where('user_id', '=', user_id)
        .where('deleted_at', '>', GONE)
        .limit(BATCH)
        .execute()
      const ids = rows.map((row) => row.conversation_id)
      if (ids.length === 0) return purged
      const hidden = await this.#hide(user_id, ids)
      for (const conversation_id of hidden) await eraseConversation(this.#ports, { user_id, conversation_id })
      purged += hidden.length
    }
  }

  /** Removes all conversations of a user who is being deleted, in the bin or not, and what was offered of others'. */
  async eraseAll(user_id: string): Promise<void> {
    await eraseHandovers(this.#db, this.#ports.activity, user_id)
    for (;;) {
      const rows = await this.#db.read
        .selectFrom('conversation')
        .select('conversation_id')
        .where('user_id', '=', user_id)
        .limit(BATCH)
        .execute()
      if (rows.length === 0) return
      for (const { conversation_id } of rows) await eraseConversation(this.#ports, { user_id, conversation_id })
    }
  }

  /**
   * Removes what has been in a bin for 30 days, and what an interrupted purge or import left behind; one batch at a
   * time.
   */
  async purgeOld(signal?: AbortSignal, now = Date.now()): Promise<void> {
    const due = await this.#db.read
      .selectFrom('conversation')
      .select(['conversation_id', 'user_id'])
      .where('deleted_at', 'is not', null)
      .where('deleted_at', '<', now - KEEP)
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom('conversation_import')
              .select('user_id')
              .whereRef('conversation_import.conversation_id', '=', 'conversation.conversation_id')
              .where(sql<boolean>`not ${isGone(this.#owner, this.#db.dialect.now)}`),
          ),
        ),
      )
      .limit(BATCH)
      .execute()
    for (const row of due) {
      // It may be restored at this very moment; once it is seen as GONE, it stays so.
      await this.#hide(row.user_id, [row.conversation_id])
      if (await this.#isGone(row.conversation_id)) await eraseConversation(this.#ports, row, signal)
    }
  }

  /**
   * Calls of MCP clients are kept as long, and are in no list: nobody has to delete them. They may be many, so they are
   * no part of the batch that what people have deleted waits for.
   */
  async purgeCalls(signal?: AbortSignal, now = Date.now()): Promise<void> {
    while (signal?.aborted !== true) {
      const hidden = await this.#hideCalls(now)
      for (const row of hidden) await eraseConversation(this.#ports, row, signal)
      if (hidden.length < BATCH) return
    }
  }

  async #hideCalls(now: number) {
    return this.#db.transaction((trx) =>
      trx
        .updateTable('conversation')
        .set({ deleted_at: GONE })
        .where('conversation_id', 'in', (row) =>
          row
            .selectFrom('conversation as old')
            .select('old.conversation_id')
            .where('old.kind', '=', sql.lit('gateway'))
            .where('old.updated_at', '<', now - KEEP)
            .where('old.deleted_at', 'is', null)
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('run')
                    .select('run_id')
                    .whereRef('run.conversation_id', '=', 'old.conversation_id')
                    .where('run.ended_at', 'is', null),
                ),
              ),
            )
            .limit(BATCH),
        )
        // A person may have gone on with it at this very moment.
        .where('kind', '=', sql.lit('gateway'))
        .where('updated_at', '<', now - KEEP)
        .returning(['conversation_id', 'user_id'])
        .execute(),
    )
  }

  async #isGone(conversation_id: string): Promise<boolean> {
    const row = await this.#db.read
      .selectFrom('conversation')
      .select('deleted_at')
      .where('conversation_id', '=', conversation_id)
      .executeTakeFirst()
    return row?.deleted_at === GONE
  }

  /** Those of `ids` that were in the user's bin; from now on they are visible to no one, and the user's pages are told. */
  async #hide(user_id: string, ids: readonly string[]): Promise<string[]> {
    return this.#db.transaction(async (trx) => {
      const rows = await trx
        .updateTable('conversation')
        .set({ deleted_at: GONE })
        .where('user_id', '=', user_id)
        .where('conversation_id', 'in', ids)
        .where('deleted_at', '>', GONE)
        .returning('conversation_id')
        .execute()
      const hidden = rows.map((row) => row.conversation_id)
      const events = hidden.map((conversation_id) => ({ type: 'conversation.deleted', conversation_id }) as const)
      await this.#ports.activity.append(trx, user_id, events)
      return hidden
    })
  }
}
