import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { DELIVERY_ATTEMPTS, NoticeEvent, type NoticeTopic } from '../../contract/notification-values.ts'
import type { Database } from '../db/database.ts'
import type { ChannelTable, OutboxTable } from '../db/rows/notification-tables.ts'
import type { Vault } from '../kernel/vault.ts'
import { addressesOfRole, type Destination, destinations } from './due-cards.ts'
import { outboxRow } from './outbox.ts'
import { afterQuiet } from './quiet-hours.ts'
import type { Message } from './send/message.ts'
import { sendMessage } from './send/send-message.ts'
import type { StillHolds } from '../chat/ports/notices.ts'
import { matterOf, whatToTell } from './told.ts'

export interface DeliverContext {
  readonly db: Database
  readonly vault: Vault
  /** Under which people reach the service. */
  readonly address: () => string
  readonly clock?: () => number
  /** Asked about a notice just before a message about it is sent. */
  readonly holds: ReadonlyMap<NoticeTopic, StillHolds>
  /** Called with each failure; never with a secret. */
  readonly onFailed: (channel: string, problem: string) => void
}

type Due = Pick<OutboxTable, 'outbox_id' | 'event' | 'ref_id' | 'channel_id' | 'role_id' | 'due_at' | 'attempts'>

/** Rows read at once, and rooms for messages under way. */
const AT_ONCE = 200
const PARALLEL = 4
/** Milliseconds between two messages to one place: what comes meanwhile is said together. */
const APART = 60_000
/** Milliseconds until another process may try what this one has begun; doubled with each attempt. */
const AGAIN = 60_000

/**
 * Sends what is due. Any number of processes may do this at once: whoever moves the time of a row is the one that sends it.
 * A message that was under way when its process was killed is sent once more, under the same id.
 */
export async function deliverDue(context: DeliverContext, signal: AbortSignal): Promise<void> {
  const { db } = context
  for (;;) {
    const due = await db.read
      .selectFrom('outbox')
      .select(['outbox_id', 'event', 'ref_id', 'channel_id', 'role_id', 'due_at', 'attempts'])
      .where('status', '=', 'pending')
      .where('due_at', '<=', db.dialect.now)
      // What a newer version tells is told by its own processes.
      .where('event', 'in', NoticeEvent.options)
      .orderBy('due_at')
      .limit(AT_ONCE)
      .execute()
    const moved = await expandRoles(context, due)
    const places = await destinations(db.read, [...new Set(due.flatMap(({ channel_id }) => channel_id ?? []))])
    const groups = [...Map.groupBy(due, ({ channel_id }) => channel_id ?? '')]
    let done = moved
    const work = async (): Promise<void> => {
      for (let group = groups.pop(); group !== undefined && !signal.aborted; group = groups.pop()) {
        const place = places.get(group[0])
        if (place === undefined) continue
        // One after the other: of what is said there, all but the first waits a moment.
        for (const rows of Map.groupBy(group[1], ({ event }) => matterOf(event)).values())
          if (await deliverTo(context, place, rows, signal)) done = true
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, work))
    // What must wait for its place stays due, and is looked at next time.
    if (signal.aborted || !done || due.length < AT_ONCE) return
    await nextTurn()
  }
}

/** A message for a role becomes one for each of its people, when it is due: who that is may change. */
async function expandRoles({ db }: DeliverContext, due: readonly Due[]): Promise<boolean> {
  let expanded = false
  for (const { outbox_id, event, ref_id, role_id, due_at } of due) {
    if (role_id === null) continue
    await db.transaction(async (trx) => {
      const mine = await trx.deleteFrom('outbox').where('outbox_id', '=', outbox_id).returning('outbox_id').execute()
      if (mine.length === 0) return
      const ids = await addressesOfRole(trx, { role_id, event, ref_id })
      if (ids.length === 0) return
      await trx
        .insertInto('outbox')
        .values(
          ids.map((channel_id) => outboxRow({ event, ref_id, channel_id, role_id: null }, due_at, db.dialect.now)),
        )
        .onConflict((conflict) => conflict.column('dedupe_key').doNothing())
        .execute()
    })
    expanded = true
  }
  return expanded
}

/** Says all of a matter that is due to one place in one message. @returns whether anything was settled */
async function deliverTo(
  context: DeliverContext,
  place: Destination,
  rows: readonly Due[],
  signal: AbortSignal,
): Promise<boolean> {
  const { db, clock = Date.now } = context
  const now = clock()
  const about = { event: rows[0]!.event, ref_ids: rows.map(({ ref_id }) => ref_id) }
  const told = await whatToTell(db.read, about, place, context.holds)
  const [waits, over] = [false, true].map((is) => rows.filter(({ ref_id }) => told.isOver(ref_id) === is))
  const open = await isOpen(db, place)
  const dropped = open === null ? rows : over!
  if (dropped.length > 0) await settle(db, dropped, 'dropped', null)
  if (open === null || waits!.length === 0) return dropped.length > 0
  const { quiet_from: from, quiet_to: to, zone } = place
  const wake = from === null || to === null ? now : afterQuiet(now, { from, to, zone: zone ?? 'UTC' })
  if (wake > now) {
    await postpone(db, waits!, wake)
    return true
  }
  if (await isSaidLately(db, place)) return dropped.length > 0
  const mine = await claim(db, waits!)
  if (mine.length === 0) return true
  const audience = {
    language: place.user_language ?? place.language,
    zone: zone ?? 'UTC',
    internal: place.internal === 1,
    user_id: place.user_id,
  }
  const refs = mine.map(({ ref_id }) => ref_id)
  const message = told.message(mine[0]!.outbox_id, refs, audience, context.address())
  await send(context, { ...open, place, rows: mine }, message, signal)
  return true
}

async function send(
  { db, vault, onFailed }: DeliverContext,
  { channel, to, place, rows }: Open & { readonly place: ChannelTable; readonly rows: readonly Due[] },
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  const problem = await sendMessage(vault, { channel, to }, message, signal)
  // A stop is nobody's failure: it is tried again.
  if (signal.aborted && problem !== null) return
  if (problem !== null) onFailed(place.name, problem)
  await keepOutcome(db, place.channel_id, problem)
  if (problem === null) return settle(db, rows, 'sent', null)
  const last = rows.filter(({ attempts }) => attempts + 1 >= DELIVERY_ATTEMPTS)
  if (last.length > 0) await settle(db, last, 'dead', problem)
  const ids = rows.map(({ outbox_id }) => outbox_id)
  await db.write.updateTable('outbox').set({ problem }).where('outbox_id', 'in', ids).execute()
}

/** How the newest message to a channel fared. */
export async function keepOutcome(db: Database, channel_id: string, problem: string | null): Promise<void> {
  const now = Date.now()
  await db.write
    .updateTable('channel')
    .set(problem === null ? { sent_at: now, problem: null, problem_at: null } : { problem, problem_at: now })
    .where('channel_id', '=', channel_id)
    .execute()
}

/** Whether something was said there less than a moment ago. */
async function isSaidLately(db: Database, { channel_id }: ChannelTable): Promise<boolean> {
  const said = await db.read
    .selectFrom('outbox')
    .select('outbox_id')
    .where('channel_id', '=', channel_id)
    .where('status', '=', 'sent')
    .where('done_at', '>', sql<number>`${db.dialect.now} - ${APART}`)
    .limit(1)
    .executeTakeFirst()
  return said !== undefined
}

interface Open {
  /** The shared channel that is used, and the address that a mail goes to. */
  readonly channel: ChannelTable
  readonly to: string | null
}

/** Null: nothing can be sent there. A person's address is reached through the mail server. */
async function isOpen(db: Database, place: Destination): Promise<Open | null> {
  if (place.user_id === null) {
    const lacks = place.kind === 'smtp' && place.target === null
    return place.enabled === 1 && !lacks ? { channel: place, to: null } : null
  }
  if (place.verified_at === null || place.away !== null) return null
  const channel = await mailServer(db)
  return channel === null ? null : { channel, to: place.address }
}

/** The mail server; null while there is none that may be used. */
export async function mailServer(db: Pick<Database, 'read'>): Promise<ChannelTable | null> {
  const row = await db.read
    .selectFrom('channel')
    .selectAll()
    .where('kind', '=', 'smtp')
    .where('enabled', '=', 1)
    .executeTakeFirst()
  return row ?? null
}

async function postpone(db: Database, rows: readonly Due[], until: number): Promise<void> {
  const ids = rows.map(({ outbox_id }) => outbox_id)
  await db.write
    .updateTable('outbox')
    .set({ due_at: until })
    .where('outbox_id', 'in', ids)
    .where('status', '=', 'pending')
    .execute()
}

/** The rows that this process may send: their time was moved by it, and by nobody else since they were read. */
async function claim(db: Database, rows: readonly Due[]): Promise<Due[]> {
  return db.transaction(async (trx) => {
    const mine: Due[] = []
    for (const row of rows) {
      const later = sql<number>`${db.dialect.now} + ${AGAIN * 2 ** row.attempts}`
      const moved = await trx
        .updateTable('outbox')
        .set({ attempts: row.attempts + 1, due_at: later })
        .where('outbox_id', '=', row.outbox_id)
        .where('status', '=', 'pending')
        .where('attempts', '=', row.attempts)
        .where('due_at', '=', row.due_at)
        .returning('outbox_id')
        .executeTakeFirst()
      if (moved !== undefined) mine.push(row)
    }
    return mine
  })
}

async function settle(
  db: Database,
  rows: readonly Due[],
  status: 'sent' | 'dropped' | 'dead',
  problem: string | null,
): Promise<void> {
  const ids = rows.map(({ outbox_id }) => outbox_id)
  await db.write
    .updateTable('outbox')
    .set({ status, problem, done_at: db.dialect.now })
    .where('outbox_id', 'in', ids)
    .where('status', '=', 'pending')
    .execute()
}
