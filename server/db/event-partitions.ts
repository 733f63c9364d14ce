import { type RawBuilder, sql } from 'kysely'
import type { Database, Reader, Trx } from './database.ts'

/** How long a statement of this file waits for a lock, in milliseconds: meanwhile, others wait behind it. */
const LOCK_MS = 200
/** PostgreSQL's code for a lock that was not available in time. */
const LOCKED = '55P03'
const KEY = 'event partitions'

/**
 * A half of the table of events: what passes soon, and what lasts. `size`: ids per partition, such that a busy service
 * fills one of what passes within minutes, and one of what lasts within a day.
 */
export interface EventHalf {
  readonly table: 'event_passing' | 'event_lasting'
  readonly size: number
}
export const PASSING_HALF: EventHalf = { table: 'event_passing', size: 100_000 }
export const LASTING_HALF: EventHalf = { table: 'event_lasting', size: 10_000_000 }

/** The ids from `from` (null: from the beginning) up to, but not including, `to`. */
export interface EventPartition {
  readonly name: string
  readonly from: number | null
  readonly to: number
}

/** The partitions of one half, oldest first, without the rest, which takes what has none. */
export async function eventPartitions(db: Reader, half: EventHalf): Promise<EventPartition[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits
    join pg_class c on c.oid = inhrelid where inhparent = ${half.table}::regclass`.execute(db)
  return rows
    .flatMap(({ name, bound }) => {
      const [, from, to] = /FROM \((MINVALUE|'\d+')\) TO \('(\d+)'\)/.exec(bound) ?? []
      if (to === undefined) return []
      return [{ name, from: from === 'MINVALUE' ? null : Number(from!.slice(1, -1)), to: Number(to) }]
    })
    .sort((a, b) => a.to - b.to)
}

/** The newest id given to an event. */
export async function newestEventId(db: Reader): Promise<number> {
  const { rows } = await sql<{ last: number }>`select case when is_called then last_value else 0 end as last
    from event_id_seq`.execute(db)
  return rows[0]!.last
}

/**
 * Makes partitions ahead, so that there is always a whole one for ids to come. Whichever process comes first does it;
 * until then, and while it cannot get its locks, what has no partition goes into the rest.
 */
export async function makeEventPartitions(db: Database): Promise<void> {
  const newest = await newestEventId(db.read)
  for (const half of [PASSING_HALF, LASTING_HALF]) {
    const { size, table } = half
    const last = async (from: Reader) => (await eventPartitions(from, half)).at(-1)?.to ?? 0
    if ((await last(db.read)) > newest + size) continue
    await briefly(db, async (trx) => {
      // Ids that the rest has already can have no partition of their own any more.
      const rest = await sql<{ id: number | null }>`select max(id) as id from ${sql.table(`${table}_rest`)}`.execute(
        trx,
      )
      const taken = rest.rows[0]!.id ?? -1
      const reached = Math.max(newest, taken)
      let from = Math.max(await last(trx), Math.floor(reached / size) * size)
      if (taken >= from) from += size
      for (; from <= reached + size; from += size) {
        const name = sql.table(`${table}_${from}`)
        await sql`create table ${name} (like ${sql.table(table)} including defaults)`.execute(trx)
        await sql`alter table ${sql.table(table)} attach partition ${name}
          for values from (${sql.lit(from)}) to (${sql.lit(from + size)})`.execute(trx)
      }
    })
  }
}

/** What of a partition has become of old events. */
export type Fate = 'dropped' | 'to be dropped' | 'not to be dropped'

/**
 * Removes a partition with everything in it when all of it is older than `before` (epoch milliseconds), once it is
 * recorded up to where its users' events are gone. It is `to be dropped`, but later, when something in it is younger, when
 * somebody else is at it, or when the lock was not to be had at once, as during a backup; and it is not to be dropped at
 * all when filling it took longer than `within` milliseconds, or when it has what is to be kept.
 */
export async function dropEventPartition(
  db: Database,
  { name }: EventPartition,
  { before, within, keep }: { before: number; within: number; keep: RawBuilder<boolean> },
): Promise<Fate> {
  const table = sql.table(name)
  const fate = await briefly(db, async (trx): Promise<Fate> => {
    const there = await sql<{ there: boolean }>`select to_regclass(${name}) is not null as there`.execute(trx)
    if (!there.rows[0]!.there) return 'dropped'
    const { rows } = await sql<{ oldest: number | null; newest: number | null; kept: boolean }>`
      select min(at) as oldest, max(at) as newest, exists (select from ${table} as event where ${keep}) as kept
      from ${table}`.execute(trx)
    const { oldest, newest, kept } = rows[0]!
    if (kept || (newest ?? 0) - (oldest ?? 0) > within) return 'not to be dropped'
    if ((newest ?? 0) >= before) return 'to be dropped'
    await sql`insert into event_horizon (user_id, event_id)
      select user_id, max(id) from ${table} group by user_id order by user_id
      on conflict (user_id) do update set event_id = greatest(event_horizon.event_id, excluded.event_id)`.execute(trx)
    // Last, because whoever reads or writes events waits from here to the commit.
    await sql`drop table ${table}`.execute(trx)
    return 'dropped'
  })
  return fate ?? 'to be dropped'
}

/**
 * In one transaction that waits for no lock longer than `LOCK_MS`, by one process at a time; undefined when it was
 * somebody else's turn, or the lock was not to be had.
 */
async function briefly<T>(db: Database, work: (trx: Trx) => Promise<T>): Promise<T | undefined> {
  try {
    return await db.transaction(async (trx) => {
      if (!(await db.dialect.trySerialize(trx, KEY))) return undefined
      await sql.raw(`set local lock_timeout = ${LOCK_MS}`).execute(trx)
      return work(trx)
    })
  } catch (error) {
    if ((error as { code?: string }).code === LOCKED) return undefined
    throw error
  }
}
