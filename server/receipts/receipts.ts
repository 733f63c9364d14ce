import { hostname } from 'node:os'
import type { HeadPlace } from '../../contract/receipts.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { Database } from '../db/database.ts'
import { dayOf } from '../kernel/time.ts'
import type { Vault } from '../kernel/vault.ts'
import { deliverHeads } from './deliver.ts'
import { signHead } from './heads.ts'
import type { Installation } from './installation.ts'
import { type HeadPlaces, placesSet } from './places.ts'
import { SigningKeys } from './signing-key.ts'

export interface ReceiptsOptions {
  readonly db: Database
  readonly vault: Vault
  readonly audit: Pick<AuditLog, 'record'> & {
    /** Chains what was recorded before; false where that takes too long. */
    settle(): Promise<boolean>
  }
  readonly places: HeadPlaces
  readonly removedTo: () => Promise<number>
  readonly address: () => string
  /** The version of Reeve. */
  readonly reeve: string
  readonly onFailed: (place: HeadPlace, problem: string) => void
  readonly clock?: () => number
}

/** What the installation signs: receipts on demand, and the head of the audit log once a day. */
export interface Receipts {
  readonly db: Database
  readonly keys: SigningKeys
  readonly installation: Installation
  readonly settle: () => Promise<boolean>
  /** Signs the head of the day unless that is done, and sends what is due. @returns whether it was signed now */
  sweep(signal: AbortSignal): Promise<boolean>
}

export function openReceipts(options: ReceiptsOptions): Receipts {
  const { db, places, removedTo, address, reeve, onFailed, clock = Date.now } = options
  const settle = () => options.audit.settle()
  const keys = new SigningKeys(db, options.vault, options.audit, clock)
  const machine = hostname()
  const installation: Installation = { name: machine, address, reeve }
  /** The day whose head is known to be signed: at rest, nothing is asked until the next. */
  let done = ''
  return {
    db,
    keys,
    installation,
    settle,
    async sweep(signal) {
      const day = dayOf(clock())
      const found =
        day === done
          ? 'known'
          : await signHead({ db, keys, installation, settle, places: placesSet(places), removedTo, clock })
      if (found !== 'empty') done = day
      await deliverHeads({ db, places, machine, clock, onFailed }, signal)
      return found === 'signed'
    },
  }
}
