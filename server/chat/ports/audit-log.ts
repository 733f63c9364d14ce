import type { Caller } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'

/** The audit log as chat sees it; `accounts` implements it, `app` fills it. */
export interface AuditLog {
  record(
    trx: Trx,
    entry: {
      actor: Pick<Caller, 'user_id' | 'username'> | null
      action: string
      target: string
      outcome: 'ok' | 'refused' | 'failed'
      details: Record<string, unknown>
    },
  ): Promise<void>
}
