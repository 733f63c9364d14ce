import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { change, query } from '../db/statement.ts'
import type { SampleTable } from '../db/rows/usage-tables.ts'
import type { MachineEye } from './machine-state.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** How long minutes are kept. */
const KEEP = 7 * DAY
/** What one point of a line stands for: 96 of them are a day. */
const POINT = 15 * MINUTE
const POINTS = DAY / POINT

export interface SampleLines {
  readonly cpu: (number | null)[]
  readonly memory: (number | null)[]
  readonly disk: (number | null)[]
  readonly failed_services: (number | null)[]
  readonly runs: (number | null)[]
}

/**
 * Keeps this minute: one row, and once an hour what is too old goes. Of several processes, the first one in a minute does.
 */
export async function keepSample(
  db: Database,
  eye: MachineEye,
  liveRuns: () => Promise<number>,
  now = Date.now(),
): Promise<void> {
  const minute = now - (now % MINUTE)
  const { cpu, memory, disk, failed_services } = await eye.look('sampler')
  await KEEP_MINUTE.run(db.write, {
    minute,
    cpu,
    memory: memory && memory.used / memory.total,
    disk: disk && disk.used / disk.total,
    failed_services,
    runs: await liveRuns(),
  })
  if (minute % HOUR === 0) await FORGET.run(db.write, { before: minute - KEEP })
}

const KEEP_MINUTE = change((db, is: { [K in keyof SampleTable]: SampleTable[K] }) =>
  db
    .insertInto('sample')
    .values({
      minute: is.minute,
      cpu: is.cpu,
      memory: is.memory,
      disk: is.disk,
      failed_services: is.failed_services,
      runs: is.runs,
    })
    .onConflict((conflict) => conflict.doNothing()),
)
const FORGET = change((db, is: { before: number }) => db.deleteFrom('sample').where('minute', '<', is.before))

/** The newest minute that is kept, if it is not older than `age` milliseconds. */
export async function newestSample(db: Database, age: number, now = Date.now()): Promise<SampleTable | null> {
  return (await NEWEST.first(db.read, { from: now - age })) ?? null
}

const NEWEST = query((db, is: { from: number }) =>
  db.selectFrom('sample').selectAll().where('minute', '>=', is.from).orderBy('minute', 'desc').limit(1),
)

/** The last 24 hours, oldest first: means of a quarter of an hour, of runs the most; null where nothing was kept. */
export async function readLines(db: Database, now = Date.now()): Promise<SampleLines> {
  const last = now - (now % POINT)
  const first = last - DAY + POINT
  const point = sql<number>`minute / ${sql.lit(POINT)}`
  const rows = await db.read
    .selectFrom('sample')
    .select(({ fn }) => [
      point.as('point'),
      fn.avg<number | null>('cpu').as('cpu'),
      fn.avg<number | null>('memory').as('memory'),
      fn.avg<number | null>('disk').as('disk'),
      fn.max('failed_services').as('failed_services'),
      fn.max('runs').as('runs'),
    ])
    .where('minute', '>=', first)
    .groupBy(point)
    .execute()
  const byPoint = new Map(rows.map((row) => [Number(row.point) - first / POINT, row]))
  const line = (name: keyof SampleLines): (number | null)[] =>
    Array.from({ length: POINTS }, (_, at) => {
      const value = byPoint.get(at)?.[name] ?? null
      return value === null ? null : Math.round(Number(value) * 1000) / 1000
    })
  return {
    cpu: line('cpu'),
    memory: line('memory'),
    disk: line('disk'),
    failed_services: line('failed_services'),
    runs: line('runs'),
  }
}
