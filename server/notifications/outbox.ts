import { type RawBuilder, sql } from 'kysely'
import type { NoticeEvent } from '../../contract/notification-values.ts'
import type { Database, Trx } from '../db/database.ts'
import { query } from '../db/statement.ts'
import { newId } from '../kernel/id.ts'
import type { KnownChannels } from './known-channels.ts'
import { DEFAULT_SETTINGS } from './notice-settings.ts'

/** Wakes whoever sends: something may be due. */
export const OUTBOX_TOPIC = 'outbox'

/** A card that has just gone up. */
export interface WaitingCard {
  readonly approval_id: string
  /** Who asks. */
  readonly user_id: string
  /** Who may vote about it; null: who asks decides. */
  readonly others: readonly string[] | null
}

interface Due {
  readonly event: NoticeEvent
  readonly ref_id: string
  readonly channel_id: string | null
  readonly role_id: string | null
  readonly after_s: number
}

const ADDRESSES = query((db, is: { user_ids: readonly string[] }, anyOf) =>
  db
    .selectFrom('channel')
    .leftJoin('notice_setting as setting', 'setting.user_id', 'channel.user_id')
    .select(['channel_id', 'channel.user_id', 'setting.approval', 'setting.vote', 'setting.wait_s'])
    .where('channel.user_id', 'in', anyOf(is.user_ids))
    .where('verified_at', 'is not', null),
)

const ROLE_OF = query((db, is: { user_id: string }) =>
  db.selectFrom('user').select('role_id').where('user_id', '=', is.user_id),
)

/** Messages that are due some time, stored in the transaction that makes them necessary. */
export class Outbox {
  readonly #db: Database
  readonly #known: KnownChannels

  constructor(db: Database, known: KnownChannels) {
    this.#db = db
    this.#known = known
  }

  /** Stores who will be told of a card if it still waits by then. Without channels, this asks the database nothing. */
  async cardWaits(trx: Trx, { approval_id, user_id, others }: WaitingCard): Promise<void> {
    if (!this.#known.any) return
    const event: 'approval' | 'vote' = others === null ? 'approval' : 'vote'
    const about = { event, ref_id: approval_id }
    const due: Due[] = []
    if (this.#known.mail) {
      const addresses = await ADDRESSES.all(trx, { user_ids: others ?? [user_id] })
      for (const { channel_id, wait_s, ...wants } of addresses)
        if ((wants[event] ?? Number(DEFAULT_SETTINGS[event])) === 1)
          due.push({ ...about, channel_id, role_id: null, after_s: wait_s ?? DEFAULT_SETTINGS.wait_s })
    }
    if (this.#known.rules.length > 0) {
      const { role_id } = (await ROLE_OF.first(trx, { user_id })) ?? { role_id: '' }
      for (const rule of this.#known.rules)
        if (rule.role_id === null || rule.role_id === role_id)
          due.push({ ...about, channel_id: rule.channel_id, role_id: rule.to_role_id, after_s: rule.after_s })
    }
    await this.#store(trx, due)
  }

  async #store(trx: Trx, due: readonly Due[]): Promise<void> {
    if (due.length === 0) return
    const { now } = this.#db.dialect
    const rows = due.map(({ after_s, ...one }) => outboxRow(one, sql`${now} + ${after_s * 1000}`, now))
    // A channel that was removed a moment ago has no row that could be referred to: that only stops this message.
    await trx
      .insertInto('outbox')
      .values(rows)
      .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
      .execute()
    this.#db.wake(trx, OUTBOX_TOPIC)
  }
}

/** A row of the outbox. Of several rules that name the same place, the one that was first counts. */
export function outboxRow(
  { event, ref_id, channel_id, role_id }: Omit<Due, 'after_s'>,
  due_at: RawBuilder<unknown> | number,
  now: RawBuilder<number>,
) {
  return {
    outbox_id: newId('outbox'),
    event,
    ref_id,
    channel_id,
    role_id,
    due_at: typeof due_at === 'number' ? due_at : sql<number>`${due_at}`,
    attempts: 0,
    status: 'pending' as const,
    problem: null,
    dedupe_key: `${event} ${ref_id} ${channel_id ?? role_id}`,
    created_at: now,
    done_at: null,
  }
}
