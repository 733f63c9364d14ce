import type { Caller, Permission } from '../../../contract/route.ts'
import type { QueuedMessageTable } from '../../db/rows/chat-tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { quoted, say } from '../../kernel/sentence.ts'
import { ACTIVE, activeRun } from '../history/active-runs.ts'
import { eachOnItsOwn } from '../run/each-on-its-own.ts'
import { ownerLanguage } from '../run/owner-language.ts'
import type { RunContext } from '../run/run-context.ts'
import type { Queue } from './queue.ts'
import { findQueued, holdQueued, nextQueued, QueuedChanged } from '../history/queued-rows.ts'

/** What POST /api/chat needs, and asks for approval where a rule does. */
const NEEDED: readonly Permission[] = ['codex.use', 'files.read']

/** Conversations served at once: one that cannot be sent, or waits for something, must not hold up the others. */
const SENT_AT_ONCE = 4

/** Sends as POST /api/chat does, without waiting for the answer. @throws {AppError} {QueuedChanged} */
type Send = (
  caller: Caller,
  row: QueuedMessageTable,
  asks: readonly Permission[],
) => Promise<{ readonly run_id: string }>

/**
 * Sends queued messages once a run is done: at its end, or after a while if the process that drove it has gone. A
 * message leaves the queue in the transaction that stores it, so it is sent exactly once, whoever tries.
 */
export class QueueSender {
  readonly #context: RunContext
  readonly #queue: Queue
  readonly #send: Send

  constructor(context: RunContext, queue: Queue, send: Send) {
    this.#context = context
    this.#queue = queue
    this.#send = send
  }

  /**
   * Sends a queued message because a person says so; while a run is active it only goes back to those that wait (null).
   * @throws {AppError} not_found, queued_sent, and what POST /api/chat throws
   */
  async sendNow(
    caller: Caller,
    place: { readonly conversation_id: string; readonly queued_id: string },
    asks: readonly Permission[],
  ): Promise<string | null> {
    const { read } = this.#context.db
    const { user_id } = caller
    const row = await findQueued(read, { ...place, user_id })
    if ((await activeRun(read, row.conversation_id)) === null) {
      try {
        return (await this.#send(caller, row, asks)).run_id
      } catch (error) {
        if (error instanceof QueuedChanged) return this.sendNow(caller, place, asks)
        if (!(error instanceof AppError) || error.code !== 'run_active') throw error
      }
    }
    await this.#queue.release(caller, place)
    // The run may have ended in between, before there was anything to send.
    await this.sendNext(row.conversation_id)
    return null
  }

  /** Sends what is next in a conversation whose run may just have ended; does nothing while one is active. */
  async sendNext(conversation_id: string): Promise<void> {
    const { db, ports } = this.#context
    for (;;) {
      const row = await nextQueued(db.read, conversation_id)
      if (!row || (await activeRun(db.read, conversation_id))) return
      try {
        const caller = await ports.senders.find({ kind: row.written_by, session_id: row.session_id })
        if (caller?.user_id !== row.user_id)
          throw new AppError('not_signed_in', say`The sign-in that this message was written with has ended.`)
        await this.#send(caller, row, await this.#asks(caller))
        return
      } catch (error) {
        if (error instanceof QueuedChanged) continue
        if (!(error instanceof AppError)) throw error
        if (error.code === 'run_active') return
        await this.#refuse(row, error)
        return
      }
    }
  }

  /** Sends what is next after a run of which only the id is known. */
  async sendAfter(run_id: string): Promise<void> {
    const run = await this.#context.db.read
      .selectFrom('run')
      .innerJoin('conversation', 'conversation.conversation_id', 'run.conversation_id')
      .select('run.conversation_id')
      .where('run_id', '=', run_id)
      .where('queued', '>', 0)
      .executeTakeFirst()
    if (run) await this.sendNext(run.conversation_id)
  }

  /** Sends what should have been sent: the process that should have done so has ended. */
  async sweep(signal?: AbortSignal): Promise<void> {
    const left = await this.#context.db.read
      .selectFrom('queued_message')
      .innerJoin('conversation', 'conversation.conversation_id', 'queued_message.conversation_id')
      .select('queued_message.conversation_id')
      .distinct()
      .where('held', '=', 0)
      .where('deleted_at', 'is', null)
      .where((row) =>
        row.not(
          row.exists(
            row
              .selectFrom('run')
              .select('run_id')
              .whereRef('run.conversation_id', '=', 'queued_message.conversation_id')
              .where(ACTIVE),
          ),
        ),
      )
      .execute()
    await eachOnItsOwn(left, SENT_AT_ONCE, async ({ conversation_id }) => {
      if (signal?.aborted) return
      await this.sendNext(conversation_id).catch((error: unknown) =>
        this.#context.log.error({ err: error, conversation_id }, 'queued message not sent'),
      )
    })
  }

  /** The permissions that ask. @throws {AppError} forbidden when one is denied */
  async #asks(caller: Caller): Promise<Permission[]> {
    const asks: Permission[] = []
    for (const permission of NEEDED) {
      const { effect, reason } = await this.#context.ports.senders.permission(caller, permission)
      if (effect === 'deny') throw new AppError('forbidden', quoted(reason))
      if (effect === 'ask') asks.push(permission)
    }
    return asks
  }

  /** It stays, with the reason, and so does what follows it: their order is kept. */
  async #refuse({ user_id, conversation_id, queued_id }: QueuedMessageTable, error: AppError): Promise<void> {
    const { db, activity } = this.#context
    const detail = error.detail.in(await ownerLanguage(db.read, user_id))
    await db.transaction(async (trx) => {
      // Locks the conversation.
      await trx
        .updateTable('conversation')
        .set((row) => ({ queued: row.ref('queued') }))
        .where('conversation_id', '=', conversation_id)
        .execute()
      await activity.append(
        trx,
        user_id,
        await holdQueued(trx, conversation_id, { queued_id, code: error.code, detail }),
      )
    })
  }
}
