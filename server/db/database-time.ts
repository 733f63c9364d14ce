import { type RawBuilder, sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Reader } from './reader.ts'

/**
 * The time of the database in epoch milliseconds, as an expression of either kind: what several processes compare is
 * not taken from their own clocks. It goes on within a transaction.
 */
export const DATABASE_TIME: Record<'sqlite' | 'postgres', RawBuilder<number>> = {
  sqlite: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  postgres: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
}

/** The time of the database in epoch milliseconds. */
export async function databaseTime(reader: Reader, { now }: Pick<Dialect, 'now'>): Promise<number> {
  const { time } = await reader.selectNoFrom(now.as('time')).executeTakeFirstOrThrow()
  return Number(time)
}
