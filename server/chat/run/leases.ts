import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { PROCESS_LIFE } from '../../db/processes.ts'

/** How long a driver may be silent before others take its runs, in milliseconds by the database's time. */
export const LEASE = PROCESS_LIFE

/** Whoever takes leases; parameters of the conditions below. */
export interface LeaseOwner {
  /** The id of this process. */
  readonly owner: string
  /** 1: the lock of the data folder says that every other process has ended. */
  readonly alone: 0 | 1
}

/** One per service. */
export function leaseOwner(db: Database, process_id: string): LeaseOwner {
  return { owner: process_id, alone: db.dialect.file === null ? 0 : 1 }
}

type Is = { readonly [key in keyof LeaseOwner]: string | number }
type Now = RawBuilder<number>

/**
 * True of a row with a lease whose holder is not at work any more: the lease is over by the database's time, or its process
 * has stopped, or was not heard of for as long as a lease lasts. A holder of an earlier version has no row, and counts by
 * its lease alone.
 */
export function isGone({ owner, alone }: Is, now: Now): RawBuilder<boolean> {
  const alive = sql`select 1 from process where process_id = lease_owner and heartbeat_at >= ${now} - ${sql.lit(PROCESS_LIFE)}`
  return sql<boolean>`(lease_expires_at < ${now} or (lease_owner <> ${owner} and (${alone} = 1
    or (substr(lease_owner, 1, 4) = 'prc_' and not exists (${alive})))))`
}

/** True of a row whose lease this process may take: nobody has it, its holder is gone, or it is its own. */
export function isFree(is: Is, now: Now): RawBuilder<boolean> {
  return sql<boolean>`(lease_owner is null or lease_owner = ${is.owner} or ${isGone(is, now)})`
}
