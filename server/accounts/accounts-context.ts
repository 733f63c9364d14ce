import type { Effect } from '../../contract/route.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import type { Log } from '../kernel/log.ts'
import type { Vault } from '../kernel/vault.ts'

/** Of a tool, what the policy looks at. */
export interface PolicyTool {
  readonly module: string
  readonly name: string
  readonly effect: 'read' | 'write' | 'destructive' | 'unknown'
  /** Ships with Reeve, so what it says of its own effects is believed. */
  readonly builtin: boolean
  /** Its definition is the one that an administrator agreed to. */
  readonly agreed: boolean
}

/** Calls of one tool that were decided alike. */
export interface PastCall {
  readonly module: string
  readonly tool: string
  readonly title: string
  readonly decision: Effect
  /** Their arguments are longer than the policy engine judges (ARGUMENTS_LIMIT). */
  readonly long: boolean
  readonly calls: number
  /** Epoch milliseconds. */
  readonly last_at: number
}
/** No arguments, no results, no names of people: which tools were called, how it was decided, and how often. */
export type PastCalls = (
  role_id: string,
  since: number,
  /** Characters of arguments from which a call counts as long. */
  long: number,
) => Promise<{ readonly items: readonly PastCall[]; readonly partial: boolean }>

/** What every part of accounts works with: the database, the clock, the key, and what it must ask its siblings. */
export interface AccountsContext {
  readonly db: Database
  readonly vault: Vault
  readonly log: Log
  /** Epoch milliseconds. */
  readonly clock: () => number
  readonly findTool: (module: string, tool: string) => PolicyTool | undefined
  /** Tool calls of people with a role, newest first, taken together where they were decided alike (the simulator). */
  readonly pastCalls: PastCalls
  /** Whether a run of the user is unfinished; asked inside the transaction that deletes the user. */
  readonly hasActiveRun: (reader: Reader, user_id: string) => Promise<boolean>
  /**
   * A user is being deleted, the user's rows with them. Inside the transaction the sibling notes what lies outside the
   * database; what it returns is run after the commit. An error there is logged: leftovers are for its own sweep.
   */
  readonly onUserDeleting: (trx: Trx, user_id: string) => Promise<() => Promise<void>>
}

/**
 * Key of the lock under which users and roles change (`dialect.serialize`): rules over several rows (the last
 * administrator, a role in use, one setup) hold however many changes come at once.
 */
export const ACCOUNTS_LOCK = 'accounts'
