import { z } from 'zod'
import { RuleSpec } from '../../../contract/rule-conditions.ts'
import type { Trx } from '../../db/database.ts'

/** A rule of a role about tools of a module, as kept in the module's backup. */
export const RoleRule = z.object({
  role_id: z.string(),
  role: z.string(),
  subject: z.string(),
  effect: z.enum(['allow', 'ask', 'deny']),
  /** Conditions and the like; backups from before there were any have none. */
  spec: RuleSpec.default({}),
})
export type RoleRule = z.infer<typeof RoleRule>

/**
 * The port through which the catalogue reads and changes what roles may do with a module. `accounts` and `chat`
 * implement it, `app` fills it.
 */
export interface RoleRules {
  /** Every rule of every role about tools of the module. */
  about(module: string): Promise<readonly RoleRule[]>
  /**
   * Revokes everything that allows its tools: rules, and approvals for a conversation. Runs in the transaction that
   * removes the module.
   */
  withdraw(trx: Trx, module: string): Promise<void>
  /** Restores rules of roles that still exist. */
  giveBack(trx: Trx, rules: readonly RoleRule[]): Promise<unknown>
}
