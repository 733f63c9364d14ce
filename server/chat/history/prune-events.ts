import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import {
  dropEventPartition,
  type EventHalf,
  type EventPartition,
  eventPartitions,
  LASTING_HALF,
  makeEventPartitions,
  newestEventId,
  PASSING_HALF,
} from '../../db/event-partitions.ts'
import { ACTIVE } from './active-runs.ts'

/** For whoever is following now: in no snapshot, and soon forgotten. */
export const PASSING = ['run.delta', 'journal.lines'] as const
/** Written out, so that an index or a partition of these types is used. */
const IS_PASSING = sql<boolean>`type in ('run.delta', 'journal.lines')`
/** A run that goes on keeps what was said of it: a page may reload in the middle of a long answer. */
const GOES_ON = sql<boolean>`event.run_id in (select run_id from run where ${ACTIVE})`
/** Events removed in one step. */
const PRUNED_AT_ONCE = 500
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** `kept`: for as long as someone may still be following. `more`: how much longer they may be, to be dropped together. */
interface Kind {
  readonly half: EventHalf
  readonly which: RawBuilder<boolean>
  readonly kept: number
  readonly more: number
}
const KINDS: readonly Kind[] = [
  { half: PASSING_HALF, which: IS_PASSING, kept: 10 * MINUTE, more: 10 * MINUTE },
  { half: LASTING_HALF, which: sql<boolean>`not (${IS_PASSING})`, kept: 7 * DAY, more: DAY },
]

/**
 * Deletes expired events and records up to which id, so that no reader is given an incomplete history. On PostgreSQL, it
 * also makes partitions ahead, and what filled one quickly is dropped with it instead of row by row.
 */
export async function pruneEvents(db: Database, now: number, signal?: AbortSignal): Promise<void> {
  const divided = db.dialect.name === 'postgres'
  if (divided) await makeEventPartitions(db)
  for (const kind of KINDS) {
    const left = divided ? await dropExpired(db, kind, now) : []
    while (!signal?.aborted && (await pruneSome(db, kind, now, left)) === PRUNED_AT_ONCE) await nextTurn()
  }
}

/** Drops partitions of which everything has expired. Returns those that will be dropped before long. */
async function dropExpired(db: Database, { half, kept, more }: Kind, now: number): Promise<EventPartition[]> {
  const newest = await newestEventId(db.read)
  const left: EventPartition[] = []
  for (const partition of await eventPartitions(db.read, half)) {
    if (partition.to > newest) break
    const fate = await dropEventPartition(db, partition, { before: now - kept, within: more, keep: GOES_ON })
    if (fate === 'to be dropped') left.push(partition)
  }
  return left
}

async function pruneSome(
  db: Database,
  { which, kept }: Kind,
  now: number,
  without: readonly EventPartition[],
): Promise<number> {
  const old = await db.read
    .selectFrom('event')
    .select(['id', 'user_id'])
    .where('at', '<', now - kept)
    .where(which)
    .where((eb) => eb.and(without.map(({ from, to }) => eb.or([eb('id', '<', from ?? 0), eb('id', '>=', to)]))))
    .where(sql<boolean>`${GOES_ON} is not true`)
    .orderBy('at')
    .limit(PRUNED_AT_ONCE)
    .execute()
  for (const [user_id, rows] of Map.groupBy(old, (row) => row.user_id)) {
    const ids = rows.map((row) => row.id)
    const event_id = Math.max(...ids)
    await db.transaction(async (trx) => {
      await trx
        .insertInto('event_horizon')
        .values({ user_id, event_id })
        .onConflict((oc) =>
          oc.column('user_id').doUpdateSet({ event_id }).where('event_horizon.event_id', '<', event_id),
        )
        .execute()
      await trx.deleteFrom('event').where('id', 'in', ids).where(which).execute()
    })
  }
  return old.length
}
