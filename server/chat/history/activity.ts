import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { ActivityEvent, ActivitySnapshot } from '../../../contract/chat.ts'
import { ACTIVITY_EVENT_LIMIT } from '../../../contract/chat.ts'
import type { Database, Reader, Trx } from '../../db/database.ts'
import { insertRows } from '../../db/statement.ts'
import { iso } from '../../kernel/time.ts'
import { ACTIVE } from './active-runs.ts'
import { PASSING, pruneEvents } from './prune-events.ts'

export interface NewEvent {
  readonly type: ActivityEvent['type']
  readonly conversation_id?: string | null
  readonly run_id?: string | null
  /** Fields in addition to the common ones: ids and small values; anything large is fetched by id. */
  readonly data?: Record<string, unknown>
  /** Others who are told of the same card, without the conversation. */
  readonly others?: readonly string[]
}

/** Tells people who look at no page of a card that has just gone up; `others` may vote about it, null: who asks decides. */
export type CardWaits = (
  trx: Trx,
  card: { readonly approval_id: string; readonly user_id: string; readonly others: readonly string[] | null },
) => Promise<void>

const SNAPSHOT_EVENTS = 100
const READ_BATCH = 200
/** Rows in one statement. */
const STORED_AT_ONCE = 100
/** Users whose new events are read in one query: with a few streams each, a few milliseconds' work. */
export const READ_TOGETHER = 50
const NOBODY = { user_id: '', point: 0 }
/**
 * What happened, per user: the event table, read as a snapshot or from any point on. The table is the stream; a wake-up
 * only means "look again".
 */
export class Activity {
  readonly #db: Database
  readonly #cardWaits: CardWaits
  /** Reads that are about to begin, so that a thousand streams at the same point cost one query. */
  readonly #reads = new Map<string, Promise<ActivityEvent[]>>()

  constructor(db: Database, cardWaits: CardWaits = async () => {}) {
    this.#db = db
    this.#cardWaits = cardWaits
  }

  /**
   * Appends events in the caller's transaction, as its last statement before the commit, and then wakes the user's
   * streams.
   */
  async append(trx: Trx, user_id: string, events: readonly NewEvent[]): Promise<void> {
    for (const { type, data, others = null } of events)
      if (type === 'approval.requested')
        await this.#cardWaits(trx, { approval_id: String(data!['approval_id']), user_id, others })
    const others = events.flatMap((event) => (event.others ?? []).map((other) => toRow(other, forOthers(event))))
    // Sorted, so that two transactions that tell each other's people never wait for one another.
    const users = others.length === 0 ? [user_id] : [...new Set([user_id, ...others.map((row) => row.user_id)])].sort()
    await this.#store(trx, users, [...events.map((event) => toRow(user_id, event)), ...others])
  }

  /** Appends the same event for several users, like `append`; `user_ids` in the order in which rows are locked. */
  async appendForEach(trx: Trx, user_ids: readonly string[], event: NewEvent): Promise<void> {
    for (let i = 0; i < user_ids.length; i += STORED_AT_ONCE) {
      const some = user_ids.slice(i, i + STORED_AT_ONCE)
      await this.#store(
        trx,
        some,
        some.map((user_id) => toRow(user_id, event)),
      )
    }
  }

  /** Holds the events of these users, in the order given: for whoever appends to some of them more than once. */
  async hold(trx: Trx, user_ids: readonly string[]): Promise<void> {
    for (const user_id of user_ids) await this.#db.dialect.serialize(trx, `event:${user_id}`)
  }

  async #store(trx: Trx, user_ids: readonly string[], rows: readonly NewRow[]): Promise<void> {
    if (rows.length === 0) return
    await this.hold(trx, user_ids)
    await insertRows(trx, 'event', rows)
    for (const user_id of user_ids) this.#db.wake(trx, user_id)
  }

  async snapshot(user_id: string): Promise<ActivitySnapshot> {
    return this.#db.transaction(async (trx) => {
      // A user's ids become visible in order, so everything up to the cursor is in what is read after it.
      const { newest } = await this.#bounds(user_id, trx)
      const rows = await trx
        .selectFrom('event')
        .selectAll()
        .where('user_id', '=', user_id)
        .where('id', '<=', newest)
        .where('type', 'not in', PASSING)
        .orderBy('id', 'desc')
        .limit(SNAPSHOT_EVENTS)
        .execute()
      const active = await trx
        .selectFrom('run')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('user_id', '=', user_id)
        .where(ACTIVE)
        .executeTakeFirstOrThrow()
      return {
        events: rows.reverse().map(toEvent),
        active: active.count,
        cancellable: active.count > 0,
        server_time: Date.now(),
        cursor: newest,
      }
    })
  }

  /**
   * Events after `id`, oldest first, in batches; readers that ask at the same moment from the same point share a query.
   */
  after(user_id: string, id: number): Promise<ActivityEvent[]> {
    const key = `${user_id} ${id}`
    let read = this.#reads.get(key)
    if (!read) {
      read = nextTurn().then(async () => {
        // Anyone who asks from now on was woken by something this query may not see.
        this.#reads.delete(key)
        return (await this.#rowsAfter(user_id, id)).map(toEvent)
      })
      this.#reads.set(key, read)
    }
    return read
  }

  /**
   * Events of several users (at most `READ_TOGETHER`) after a point of each, oldest first, in one query. Not `complete`
   * when there were more of them than are read at once: then the rest follows after the last one of each.
   */
  async afterEach(
    from: readonly { readonly user_id: string; readonly point: number }[],
  ): Promise<{ events: Map<string, ActivityEvent[]>; complete: boolean }> {
    const [only] = from
    const most = from.length === 1 ? READ_BATCH : READ_BATCH * 10
    const rows =
      from.length === 1 ? await this.#rowsAfter(only!.user_id, only!.point) : await this.#rowsAfterEach(from, most)
    const events = Map.groupBy(rows, ({ user_id }) => user_id)
    return {
      events: new Map([...events].map(([user_id, own]) => [user_id, own.map(toEvent)])),
      complete: rows.length < most,
    }
  }

  #rowsAfter(user_id: string, id: number): Promise<EventRow[]> {
    return this.#db.read
      .selectFrom('event')
      .selectAll()
      .where('user_id', '=', user_id)
      .where('id', '>', id)
      .orderBy('id')
      .limit(READ_BATCH)
      .execute()
  }

  async #rowsAfterEach(from: readonly { user_id: string; point: number }[], most: number): Promise<EventRow[]> {
    // Always as many, so that there is one statement to prepare.
    const filled = [...from, ...Array<{ user_id: string; point: number }>(READ_TOGETHER - from.length).fill(NOBODY)]
    const points = filled.map(({ user_id, point }) => sql`(cast(${user_id} as text), cast(${point} as bigint))`)
    // The order of a cross join is kept by SQLite, which would otherwise read all events of these users.
    const { rows } = await sql<EventRow>`select event.* from (values ${sql.join(points)}) as reader
      cross join event where event.user_id = reader.column1 and event.id > reader.column2
      order by event.id limit ${most}`.execute(this.#db.read)
    return rows
  }

  /** True when everything after `id` can still be read. */
  async knows(user_id: string, id: number): Promise<boolean> {
    const { oldest, newest } = await this.#bounds(user_id, this.#db.read)
    return id >= oldest && id <= newest
  }

  /** Deletes expired events and records up to which id, so that no reader is given an incomplete history. */
  async prune(now = Date.now(), signal?: AbortSignal): Promise<void> {
    await pruneEvents(this.#db, now, signal)
  }

  async #bounds(user_id: string, reader: Reader): Promise<{ oldest: number; newest: number }> {
    const horizon = await reader
      .selectFrom('event_horizon')
      .select('event_id')
      .where('user_id', '=', user_id)
      .executeTakeFirst()
    const last = await reader
      .selectFrom('event')
      .select('id')
      .where('user_id', '=', user_id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    const oldest = horizon?.event_id ?? 0
    return { oldest, newest: Math.max(oldest, last?.id ?? 0) }
  }
}

type NewRow = Omit<EventRow, 'id'>

/** @throws when the event is too large: a programming error */
function toRow(user_id: string, { type, conversation_id = null, run_id = null, data = {} }: NewEvent): NewRow {
  const text = JSON.stringify(data)
  if (Buffer.byteLength(text) > ACTIVITY_EVENT_LIMIT - 300) throw new Error(`Event ${type} is over its limit`)
  return { user_id, conversation_id, run_id, type, data: text, at: Date.now() }
}

function forOthers({ type, data }: NewEvent): NewEvent {
  return { type, data: { approval_id: data?.['approval_id'], status: data?.['status'], others: true } }
}

interface EventRow {
  readonly id: number
  readonly user_id: string
  readonly type: string
  readonly conversation_id: string | null
  readonly run_id: string | null
  readonly data: string
  readonly at: number
}

function toEvent(row: EventRow): ActivityEvent {
  return {
    ...(JSON.parse(row.data) as Record<string, unknown>),
    id: row.id,
    type: row.type as ActivityEvent['type'],
    ...(row.conversation_id === null ? {} : { conversation_id: row.conversation_id }),
    ...(row.run_id === null ? {} : { run_id: row.run_id }),
    at: iso(row.at),
  }
}
