import { createHash } from 'node:crypto'
import type { QueuedMessage } from '../../../contract/chat.ts'
import { QUEUE_LIMIT } from '../../../contract/chat.ts'
import type { FileEntry } from '../../../contract/files.ts'
import type { Caller } from '../../../contract/route.ts'
import type { QueuedMessageTable } from '../../db/rows/chat-tables.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newId } from '../../kernel/id.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { handedOver } from '../conversations/conversation-refusals.ts'
import type { Conversations } from '../conversations/conversations.ts'
import { activeRun } from '../history/active-runs.ts'
import type { RunContext } from '../run/run-context.ts'
import { count, missing, queuedEvent, toQueued } from '../history/queued-rows.ts'

export interface QueueRequest {
  readonly message: string
  readonly attachment_ids: readonly string[]
  readonly idempotency_key: string | null
}
interface QueuedPlace {
  readonly conversation_id: string
  readonly queued_id: string
}

/** The messages that users have queued while a run is active: list, add, change, remove. `queue-sender` sends them. */
export class Queue {
  readonly #context: RunContext
  readonly #conversations: Conversations

  constructor(context: RunContext, conversations: Conversations) {
    this.#context = context
    this.#conversations = conversations
  }

  /** @throws {AppError} not_found */
  async list(user_id: string, conversation_id: string): Promise<QueuedMessage[]> {
    const { read } = this.#context.db
    const { queued } = await this.#conversations.find(read, user_id, conversation_id)
    if (queued === 0) return []
    const rows = await read
      .selectFrom('queued_message')
      .selectAll()
      .where('conversation_id', '=', conversation_id)
      .orderBy('position')
      .execute()
    return rows.map(toQueued)
  }

  /**
   * Queues a message; a repeated request finds the same one. It is held unless a run is active or was done.
   * @throws {AppError} not_found, handed_over, queue_full, queued_sent, idempotency_mismatch
   */
  async add(caller: Caller, conversation_id: string, request: QueueRequest): Promise<QueuedMessage> {
    const { db, ports, activity } = this.#context
    const { user_id, session_id, kind } = caller
    const { attachment_ids, idempotency_key } = request
    const message = storable(request.message)
    const files: FileEntry[] = await ports.attachments.entries(user_id, attachment_ids)
    const queued_id = idempotency_key === null ? newId('queued') : idOfKey(user_id, idempotency_key)
    const row = await db.transaction(async (trx) => {
      const { handed_over_at } = await this.#conversations.find(trx, user_id, conversation_id)
      if (handed_over_at !== null) throw handedOver()
      // Locks the conversation first, so that an end of its run either finds the message or is found here.
      await count(trx, conversation_id, 1)
      const there = await rowsOf(trx, conversation_id)
      const known = there.find((other) => other.queued_id === queued_id)
      if (known) {
        const same = known.message === message && known.attachments === JSON.stringify(files)
        if (!same)
          throw new AppError(
            'idempotency_mismatch',
            say`This Idempotency-Key was used for another message. Make a new one.`,
          )
        await count(trx, conversation_id, -1)
        return known
      }
      if (idempotency_key !== null) await refuseSent(trx, { user_id, queued_id })
      if (there.length >= QUEUE_LIMIT)
        throw new AppError(
          'queue_full',
          say`At most ${QUEUE_LIMIT} messages can be queued in a conversation. Remove one, or wait until one is sent.`,
        )
      const added: QueuedMessageTable = {
        queued_id,
        conversation_id,
        user_id,
        session_id,
        written_by: kind === 'token' ? 'token' : 'session',
        position: (there.at(-1)?.position ?? 0) + 1,
        version: 1,
        message,
        attachments: JSON.stringify(files),
        held: (await mayFollow(trx, conversation_id)) ? 0 : 1,
        problem_code: null,
        problem_detail: null,
        created_at: Date.now(),
      }
      await trx.insertInto('queued_message').values(added).execute()
      await activity.append(trx, user_id, [queuedEvent(conversation_id)])
      return added
    })
    return toQueued(row)
  }

  /** @throws {AppError} not_found, queued_sent */
  async edit(caller: Caller, place: QueuedPlace, message: string): Promise<QueuedMessage> {
    return this.#change(caller, place, { message: storable(message) })
  }

  /**
   * Moves it before another one, or to the end (null); returns all in their new order.
   * @throws {AppError} not_found, queued_sent
   */
  async move({ user_id }: Caller, place: QueuedPlace, before: string | null): Promise<QueuedMessage[]> {
    const { db, activity } = this.#context
    const { conversation_id, queued_id } = place
    return db.transaction(async (trx) => {
      await this.#conversations.find(trx, user_id, conversation_id)
      // Locks the conversation: the order does not change meanwhile.
      await count(trx, conversation_id, 0)
      const rows = await rowsOf(trx, conversation_id)
      const row = rows.find((each) => each.queued_id === queued_id)
      if (!row) return missing(trx, { user_id, queued_id })
      if (before === queued_id) return rows.map(toQueued)
      const others = rows.filter((each) => each !== row)
      const at = before === null ? others.length : others.findIndex((each) => each.queued_id === before)
      if (at === -1) return missing(trx, { user_id, queued_id: before! })
      const ordered = others.toSpliced(at, 0, row)
      // Two can't have one position, so all get new ones after the last.
      const first = rows.at(-1)!.position + 1
      for (const [i, each] of ordered.entries())
        await trx
          .updateTable('queued_message')
          .set({ position: first + i })
          .where('queued_id', '=', each.queued_id)
          .execute()
      await activity.append(trx, user_id, [queuedEvent(conversation_id)])
      return ordered.map(toQueued)
    })
  }

  /** It is sent when the run is done, however the one before it ended. @throws {AppError} not_found, queued_sent */
  async release(caller: Caller, place: QueuedPlace): Promise<QueuedMessage> {
    return this.#change(caller, place, { held: 0, problem_code: null, problem_detail: null })
  }

  /** @throws {AppError} not_found, queued_sent */
  async remove({ user_id }: Caller, { conversation_id, queued_id }: QueuedPlace): Promise<void> {
    const { db, activity } = this.#context
    await db.transaction(async (trx) => {
      await this.#conversations.find(trx, user_id, conversation_id)
      await count(trx, conversation_id, -1)
      const { numDeletedRows } = await trx
        .deleteFrom('queued_message')
        .where('queued_id', '=', queued_id)
        .where('conversation_id', '=', conversation_id)
        .executeTakeFirst()
      if (numDeletedRows === 0n) return missing(trx, { user_id, queued_id })
      return activity.append(trx, user_id, [queuedEvent(conversation_id)])
    })
  }

  /** Whoever changes it will have sent it: what one sign-in wrote is never sent with the rights of another. */
  async #change(
    { user_id, session_id, kind }: Caller,
    { conversation_id, queued_id }: QueuedPlace,
    change: Partial<Pick<QueuedMessageTable, 'message' | 'held' | 'problem_code' | 'problem_detail'>>,
  ): Promise<QueuedMessage> {
    const { db, activity } = this.#context
    const written_by = kind === 'token' ? 'token' : 'session'
    const row = await db.transaction(async (trx) => {
      await this.#conversations.find(trx, user_id, conversation_id)
      const changed = await trx
        .updateTable('queued_message')
        .set((of) => ({ ...change, session_id, written_by, version: of('version', '+', 1) }))
        .where('queued_id', '=', queued_id)
        .where('conversation_id', '=', conversation_id)
        .returningAll()
        .executeTakeFirst()
      if (!changed) return missing(trx, { user_id, queued_id })
      await activity.append(trx, user_id, [queuedEvent(conversation_id)])
      return changed
    })
    return toQueued(row)
  }
}

function rowsOf(trx: Trx, conversation_id: string): Promise<QueuedMessageTable[]> {
  return trx
    .selectFrom('queued_message')
    .selectAll()
    .where('conversation_id', '=', conversation_id)
    .orderBy('position')
    .execute()
}

/** A message that follows a stopped or failed answer waits until its owner has seen how it ended. */
async function mayFollow(trx: Trx, conversation_id: string): Promise<boolean> {
  if (await activeRun(trx, conversation_id)) return true
  const newest = await trx
    .selectFrom('run')
    .select('status')
    .where('conversation_id', '=', conversation_id)
    .orderBy('run_id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest === undefined || newest.status === 'done'
}

/** The id of a queued message that was given a key: the same for a repeated request. */
function idOfKey(user_id: string, key: string): string {
  return `que_${createHash('sha256').update(`${user_id} ${key}`).digest('hex').slice(0, 28)}`
}

async function refuseSent(trx: Trx, of: { user_id: string; queued_id: string }): Promise<void> {
  await missing(trx, of).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  })
}
