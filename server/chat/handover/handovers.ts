import { HANDOVER_DAYS } from '../../../contract/handover-limits.ts'
import type { Handover } from '../../../contract/handovers.ts'
import type { Caller } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newId } from '../../kernel/id.ts'
import { say } from '../../kernel/sentence.ts'
import { cut, fold, storable } from '../../kernel/text/plain-text.ts'
import { handedOver } from '../conversations/conversation-refusals.ts'
import { enabledPeople } from '../../db/votes/voters.ts'
import type { RunContext } from '../run/run-context.ts'
import { acceptHandover, type HandoverParts } from './accept-handover.ts'
import { handoverClosed } from './handover-closed.ts'
import { findHandover, statusOf, tellBoth, toHandover } from './handover-rows.ts'

const LIFE = HANDOVER_DAYS * 24 * 3_600_000

interface Offer {
  readonly username: string
  readonly note: string | null
}

/** Offers of conversations to other people, and the answers to them. */
export class Handovers {
  readonly #parts: HandoverParts

  constructor(context: RunContext, { conversations, copies, imports }: Omit<HandoverParts, 'context'>) {
    this.#parts = { context, conversations, copies, imports }
  }

  /**
   * Offers a conversation. Every username that cannot take it over is refused in the same words, and recorded.
   * @throws {AppError} not_found, handed_over, handover_open, handover_refused
   */
  async offer(caller: Caller, conversation_id: string, offer: Offer): Promise<Handover> {
    const { context, conversations } = this.#parts
    const { db, ports, activity } = context
    const { user_id } = caller
    const username = storable(offer.username)
    const handover_id = newId('handover')
    const to = await enabledPeople(db.read).where('user.username_folded', '=', fold(username)).executeTakeFirst()
    const details = { conversation_id, to: cut(username, 100) }
    const entry = { actor: caller, action: 'handover.offered', details } as const
    try {
      await db.transaction(async (trx) => {
        const { handed_over_at } = await conversations.find(trx, user_id, conversation_id)
        if (handed_over_at !== null) throw handedOver()
        const now = Date.now()
        // What nobody answered in time is not in the way.
        await trx
          .updateTable('handover')
          .set({ status: 'expired' })
          .where('conversation_id', '=', conversation_id)
          .where('status', '=', 'offered')
          .where('expires_at', '<=', now)
          .execute()
        // Before anything is said about the username: else it could be guessed without anybody noticing.
        if (await isOffered(trx, conversation_id)) throw openAlready()
        if (to === undefined || to.user_id === user_id) return
        const people = { handover_id, from_user: user_id, to_user: to.user_id }
        await trx
          .insertInto('handover')
          .values({
            ...people,
            conversation_id,
            status: 'offered',
            note: offer.note === null || offer.note === '' ? null : storable(offer.note),
            to_name: null,
            copy_id: null,
            created_at: now,
            expires_at: now + LIFE,
            closed_at: null,
          })
          .execute()
        await ports.audit.record(trx, { ...entry, target: handover_id, outcome: 'ok' })
        await tellBoth(activity, trx, people, 'offered')
      })
    } catch (error) {
      if (!db.isUniqueViolation(error)) throw error
      throw openAlready()
    }
    if (to?.user_id === user_id)
      throw new AppError('handover_refused', say`You cannot hand a conversation over to yourself.`)
    if (to === undefined) {
      await db.transaction((trx) => ports.audit.record(trx, { ...entry, target: conversation_id, outcome: 'refused' }))
      throw new AppError('handover_refused', say`Nobody with this username can take it over. Check how it is written.`)
    }
    return toHandover(await findHandover(db.read, user_id, handover_id), user_id)
  }

  /** @throws {AppError} as acceptHandover */
  accept(caller: Caller, handover_id: string): Promise<Handover> {
    return acceptHandover(this.#parts, caller, handover_id)
  }

  /** @throws {AppError} not_found, handover_closed */
  decline(caller: Caller, handover_id: string): Promise<Handover> {
    return this.#close(caller, handover_id, 'declined')
  }

  /** @throws {AppError} not_found, handover_closed */
  withdraw(caller: Caller, handover_id: string): Promise<Handover> {
    return this.#close(caller, handover_id, 'withdrawn')
  }

  /** The same answer again changes nothing. */
  async #close(caller: Caller, handover_id: string, status: 'declined' | 'withdrawn'): Promise<Handover> {
    const { db, ports, activity } = this.#parts.context
    const { user_id } = caller
    await db.transaction(async (trx) => {
      const row = await findHandover(trx, user_id, handover_id)
      const own = status === 'declined' ? row.to_user : row.from_user
      if (own !== user_id) throw new AppError('not_found', say`There is no such offer.`)
      if (row.status === status) return
      const now = Date.now()
      const { numUpdatedRows } = await trx
        .updateTable('handover')
        .set({ status, closed_at: now })
        .where('handover_id', '=', handover_id)
        .where('status', '=', 'offered')
        .where('expires_at', '>', now)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) throw handoverClosed(statusOf(row))
      const { conversation_id } = row
      await ports.audit.record(trx, {
        actor: caller,
        action: `handover.${status}`,
        target: handover_id,
        outcome: 'ok',
        details: { conversation_id },
      })
      await tellBoth(activity, trx, row, status)
    })
    return toHandover(await findHandover(db.read, user_id, handover_id), user_id)
  }
}

async function isOffered(trx: Trx, conversation_id: string): Promise<boolean> {
  const row = await trx
    .selectFrom('handover')
    .select('handover_id')
    .where('conversation_id', '=', conversation_id)
    .where('status', '=', 'offered')
    .executeTakeFirst()
  return row !== undefined
}

function openAlready(): AppError {
  return new AppError(
    'handover_open',
    say`This conversation is offered to somebody already. Withdraw that offer first.`,
  )
}
