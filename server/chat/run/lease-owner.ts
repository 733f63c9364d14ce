import type { RunTable } from '../../db/chat-tables.ts'
import type { Database } from '../../db/database.ts'
import { hasProcessEnded, nameThisProcess } from '../../kernel/process-name.ts'

/** The holder of leases in this process, and what it knows about other holders. */
export interface LeaseOwner {
  readonly name: string
  /** True when another owner can no longer hold anything, whatever the expiry of its leases says. */
  isGone(name: string): boolean
}

/**
 * True while the holder of a lease (possibly this service) may still be at work: the lease has not expired and the
 * holder is not gone.
 */
export function isHeld(lease: { lease_owner: string; lease_expires_at: number }, owner: LeaseOwner): boolean {
  return lease.lease_expires_at >= Date.now() && !owner.isGone(lease.lease_owner)
}

/** One per service. */
export function leaseOwner(db: Database): LeaseOwner {
  const name = nameThisProcess()
  // The embedded database belongs to the holder of the folder's lock, which ends with its process.
  const alone = db.dialect.file !== null
  return { name, isGone: (other) => other !== name && (alone || hasProcessEnded(other)) }
}

/** True when the owner may take the lease: it is free, expired, held by an owner that is gone, or the owner's own. */
export function isFree(lease: Pick<RunTable, 'lease_owner' | 'lease_expires_at'>, owner: LeaseOwner): boolean {
  const { lease_owner: holder, lease_expires_at } = lease
  return holder === null || holder === owner.name || lease_expires_at! < Date.now() || owner.isGone(holder)
}
