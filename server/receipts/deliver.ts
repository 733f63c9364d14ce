import type { HeadPlace } from '../../contract/receipts.ts'
import type { Database } from '../db/database.ts'
import { cut } from '../kernel/text/plain-text.ts'
import { type HeadPlaces, placesSet } from './places.ts'
import { SENDERS } from './send-head.ts'

/** Attempts for one head and place; the next head is tried anew, and proves everything before it. */
export const ATTEMPTS = 8
const MINUTE = 60_000
/** Heads sent in one go. */
const AT_ONCE = 20
const PROBLEM = 300

export interface Delivery {
  readonly db: Database
  readonly places: HeadPlaces
  /** Name of this machine. */
  readonly machine: string
  readonly clock?: () => number
  /** Called with each failure. */
  readonly onFailed: (place: HeadPlace, problem: string) => void
}

/** Sends what is due to be sent. Whatever process raises the number of attempts of a row is the one that tries. */
export async function deliverHeads(of: Delivery, signal: AbortSignal): Promise<void> {
  const { db, places, clock = Date.now } = of
  const set = placesSet(places)
  if (set.length === 0) return
  const due = await db.read
    .selectFrom('audit_head_delivery as delivery')
    .innerJoin('audit_head as head', 'head.day', 'delivery.day')
    .select(['delivery.day', 'delivery.place', 'delivery.attempts', 'head.envelope', 'head.signed_at'])
    .where('delivery.sent_at', 'is', null)
    .where('delivery.attempts', '<', ATTEMPTS)
    .where('delivery.next_at', '<=', clock())
    .where('delivery.place', 'in', set)
    .orderBy('delivery.day')
    .limit(AT_ONCE)
    .execute()
  for (const { day, place, attempts, envelope, signed_at } of due) {
    if (signal.aborted) return
    const now = clock()
    const mine = await db.write
      .updateTable('audit_head_delivery')
      .set({ attempts: attempts + 1, next_at: now + 2 ** attempts * MINUTE })
      .where('day', '=', day)
      .where('place', '=', place)
      .where('attempts', '=', attempts)
      .where('sent_at', 'is', null)
      .returning('day')
      .executeTakeFirst()
    if (!mine) continue
    const problem = await send(places, place, { envelope, signed_at, machine: of.machine }, signal)
    // A stop is nobody's failure: it is tried again.
    if (signal.aborted && problem !== null) return
    if (problem !== null) of.onFailed(place, problem)
    await db.write
      .updateTable('audit_head_delivery')
      .set(problem === null ? { sent_at: clock(), problem: null } : { problem })
      .where('day', '=', day)
      .where('place', '=', place)
      .execute()
  }
}

/** Why it did not arrive; null when it did. */
async function send(
  places: HeadPlaces,
  place: HeadPlace,
  head: { envelope: string; signed_at: number; machine: string },
  signal: AbortSignal,
): Promise<string | null> {
  try {
    if (place === 'file') await SENDERS.file(places.file!, head, signal)
    else if (place === 'webhook') await SENDERS.webhook(places.webhook!, head, signal)
    else await SENDERS.syslog(places.syslog!, head, signal)
    return null
  } catch (error) {
    return cut(error instanceof Error ? error.message : String(error), PROBLEM)
  }
}
