import type { Caller, Permission } from '../../contract/route.ts'
import type { ValueTest } from '../../contract/rule-conditions.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { HostList } from '../chat/ports/hosts.ts'
import type { Policy } from '../chat/ports/policy.ts'
import type { ProcedureOfRun } from '../chat/ports/procedures.ts'
import type { Tools } from '../chat/ports/tools.ts'
import type { Database, Trx } from '../db/database.ts'
import type { Sentence } from '../kernel/sentence.ts'
import type { EndNotice, TellNotice } from '../chat/ports/notices.ts'

/** How conditions of rules come out. `accounts` implements it, `app` fills it. */
export interface ConditionJudge {
  /** Whether a value surely is what a condition says. */
  fits(value: unknown, test: ValueTest): boolean
  /** Whether it is a word that a command may be given wherever any word may stand. */
  isWord(value: unknown): boolean
  /** Why a condition cannot mean what it says; null when it can. */
  problem(test: ValueTest): Sentence | null
  /** Why a word of a command must not be left open: its program runs others. */
  openWord(program: string): Sentence | null
}

export interface ProceduresContext {
  readonly db: Database
  readonly tools: Pick<Tools, 'find' | 'wording'>
  readonly hosts: Pick<HostList, 'known'>
  /** With what is switched off for everyone denied. */
  readonly policy: Pick<Policy, 'forUser'>
  readonly audit: Pick<AuditLog, 'record'>
  readonly judge: ConditionJudge
  readonly tellNotice: TellNotice
  readonly endNotice: EndNotice
  /** Roles whose people review. */
  readonly reviewingRoles: () => Promise<readonly string[]>
  /** Tells whoever may see it that a procedure has changed. The last thing in a transaction. */
  readonly onChanged: (trx: Trx, procedure_id: string) => Promise<void>
  /** Begins a run in a new conversation, as a message that names what is run. */
  readonly send: (
    caller: Caller,
    request: {
      readonly message: string
      readonly procedure: ProcedureOfRun
      readonly idempotency_key: string | null
      readonly asks: readonly Permission[]
    },
  ) => Promise<{ readonly run_id: string; readonly conversation_id: string }>
}
