import type { Database } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import type { Activity } from './activity.ts'

const KEEP = 30 * 24 * 3_600_000
const BATCH = 50

/** Removes files of a user for good: these, and those that these runs generated. */
export type PurgeFiles = (user_id: string, file_ids: readonly string[], run_ids: readonly string[]) => Promise<void>

/** Conversations that were deleted: kept for 30 days, then gone for good with everything that belonged to them. */
export class Bin {
  readonly #db: Database
  readonly #activity: Activity
  readonly #purgeFiles: PurgeFiles

  constructor(db: Database, activity: Activity, purgeFiles: PurgeFiles) {
    this.#db = db
    this.#activity = activity
    this.#purgeFiles = purgeFiles
  }

  /** @throws {AppError} not_found when it is not in the user's bin. */
  async purge(user_id: string, conversation_id: string): Promise<void> {
    const row = await this.#deleted(user_id).where('conversation_id', '=', conversation_id).executeTakeFirst()
    if (!row) throw new AppError('not_found', say`There is no such conversation in the bin.`)
    await this.#purge(row)
  }

  /** Empties the user's bin and says how many conversations went. */
  async empty(user_id: string): Promise<number> {
    let purged = 0
    for (;;) {
      const rows = await this.#deleted(user_id).limit(BATCH).execute()
      for (const row of rows) await this.#purge(row)
      purged += rows.length
      if (rows.length < BATCH) return purged
    }
  }

  /** Removes what was in a bin for 30 days, a batch at a time. */
  async purgeOld(now = Date.now()): Promise<void> {
    const due = await this.#db.read
      .selectFrom('conversation')
      .select(['conversation_id', 'user_id'])
      .where('deleted_at', 'is not', null)
      .where('deleted_at', '<', now - KEEP)
      .limit(BATCH)
      .execute()
    for (const row of due) await this.#purge(row)
  }

  #deleted(user_id: string) {
    return this.#db.read
      .selectFrom('conversation')
      .select(['conversation_id', 'user_id'])
      .where('user_id', '=', user_id)
      .where('deleted_at', 'is not', null)
  }

  async #purge({ conversation_id, user_id }: { conversation_id: string; user_id: string }): Promise<void> {
    const runs = await this.#db.read
      .selectFrom('run')
      .select('run_id')
      .where('conversation_id', '=', conversation_id)
      .execute()
    // Files first: if it ends in between, the conversation is still in the bin, and its purge begins again.
    const attached = await this.#attachedOnlyTo(conversation_id)
    await this.#purgeFiles(
      user_id,
      attached,
      runs.map((run) => run.run_id),
    )
    await this.#db.transaction(async (trx) => {
      await trx.deleteFrom('event').where('conversation_id', '=', conversation_id).execute()
      await trx.deleteFrom('approval').where('conversation_id', '=', conversation_id).execute()
      // Messages, parts, runs, steps, calls and grants go with it.
      await trx.deleteFrom('conversation').where('conversation_id', '=', conversation_id).execute()
      await this.#activity.append(trx, user_id, [{ type: 'conversation.deleted', conversation_id }])
    })
  }

  /** Files that were attached in this conversation and in no other. */
  async #attachedOnlyTo(conversation_id: string): Promise<string[]> {
    const attached = (other: boolean, among: readonly string[] | null) =>
      this.#db.read
        .selectFrom('message_part')
        .innerJoin('message', 'message.message_id', 'message_part.message_id')
        .select('message_part.file_id')
        .distinct()
        .where('message_part.file_id', 'is not', null)
        .where('message.conversation_id', other ? '!=' : '=', conversation_id)
        .$if(among !== null, (query) => query.where('message_part.file_id', 'in', among!))
        .execute()
    const own = (await attached(false, null)).map((row) => row.file_id!)
    if (own.length === 0) return []
    const elsewhere = new Set((await attached(true, own)).map((row) => row.file_id!))
    return own.filter((file_id) => !elsewhere.has(file_id))
  }
}
