import type { Caller } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'

/** The audit log as its siblings see it; `accounts` implements it, `app` fills it. */
export interface AuditLog {
  record(
    trx: Trx,
    entry: {
      /** While elevated, the entry names both roles. */
      actor: Pick<Caller, 'user_id' | 'username' | 'elevated'> | null
      action: string
      target: string
      outcome: 'ok' | 'refused' | 'failed'
      details: Record<string, unknown>
    },
  ): Promise<void>
  /** Counts something that happens too often for an entry each: there will be one for each hour. */
  count(
    trx: Trx,
    what: {
      actor: Pick<Caller, 'user_id' | 'username'>
      action: string
      target: string
      failed: boolean
    },
  ): Promise<void>
}
