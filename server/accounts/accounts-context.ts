import type { CallHost } from '../chat/ports/hosts.ts'
import type { PlannedStep } from '../chat/ports/procedures.ts'
import type { Effect } from '../../contract/route.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import type { Log } from '../kernel/log.ts'
import type { Sentence } from '../kernel/sentence.ts'
import type { Vault } from '../kernel/vault.ts'
import type { Roles } from './policy/load-role.ts'
import type { PolicyTool } from './policy/policy-tool.ts'
import type { Passwords } from './sign-in/passwords.ts'

/** Calls of one tool that were decided the same way. */
export interface PastCall {
  readonly module: string
  readonly tool: string
  readonly title: string
  readonly decision: Effect
  /** Their arguments exceed what the policy engine judges (ARGUMENTS_LIMIT). */
  readonly long: boolean
  readonly calls: number
  /** Epoch milliseconds. */
  readonly last_at: number
  /** Of the tool when it was called, and one of the calls; for modules that were asked for, else null. */
  readonly same: { readonly definition_hash: string; readonly tool_call_id: string } | null
  /** JSON of the machines that they were about, with their ids; null: none, or the one that Reeve runs on. */
  readonly targets: string | null
}
/** Without results or user names: only which tools were called, how that was decided, and how often. */
export type PastCalls = (
  role_id: string,
  since: number,
  /** Characters of arguments beyond which a call counts as long. */
  long: number,
  /** Of these modules, calls are told apart by definition and arguments, too. */
  modules: readonly string[],
) => Promise<{ readonly items: readonly PastCall[]; readonly partial: boolean }>

/** One of the calls of a tool with the same arguments. */
export interface CallOfTool {
  readonly tool_call_id: string
  readonly username: string
  readonly decision: Effect
  /** Epoch milliseconds. */
  readonly at: number
  /** Whoever asks may see the arguments: the audit log shows those of such a call, or it was theirs. */
  readonly visible: boolean
  readonly calls: number
  /** As in `PastCall`. */
  readonly targets: string | null
}
export type CallsOfTool = (about: {
  readonly module: string
  readonly tool: string
  readonly since: number
  readonly reader_id: string
}) => Promise<{ readonly items: readonly CallOfTool[]; readonly partial: boolean }>

/** A procedure as it would run now, for whoever explains who may run it. */
export interface ExplainedProcedure {
  readonly name: string
  /** Of what was reviewed. */
  readonly content_hash: string
  /** Of the version that runs, by whom; null: none runs. A name is null where its user is gone. */
  readonly review: { readonly version: number; readonly author: string | null; readonly reviewer: string | null } | null
  /** Why nothing of it runs. */
  readonly problem: Sentence | null
  readonly steps: readonly (Pick<PlannedStep, 'module' | 'tool' | 'definition_hash' | 'confirm'> & {
    /** Null where they depend on values that are not given. */
    readonly arguments: Record<string, unknown> | null
  })[]
}

/** What every part of accounts works with: the database, the clock, the key, and what it asks of other features. */
export interface AccountsContext {
  readonly db: Database
  readonly roles: Roles
  readonly vault: Vault
  readonly passwords: Passwords
  readonly log: Log
  /** Epoch milliseconds. */
  readonly clock: () => number
  readonly findTool: (module: string, tool: string) => PolicyTool | undefined
  /** The version of a procedure that runs, with the values of its parameters or without; null: there is no such one. */
  readonly procedure: (
    procedure_id: string,
    values: Record<string, unknown> | null,
  ) => Promise<ExplainedProcedure | null>
  /** All machines, as they are now. */
  readonly hosts: () => Promise<readonly CallHost[]>
  /** Names of a module's tools, running or not, as far as known; null if there is no such module. */
  readonly toolNames: (module: string) => readonly string[] | null
  /** What a tool that is titled so is called in a language. */
  readonly toolTitle: (module: string, title: string, language: string) => string
  /** Tool calls of users with a role, newest first, grouped where they were decided the same way (the simulator). */
  readonly pastCalls: PastCalls
  /** Arguments of such calls by `tool_call_id`, for the policy engine alone; without those that are not kept as they were. */
  readonly pastArguments: (ids: readonly string[]) => Promise<ReadonlyMap<string, Record<string, unknown>>>
  /** The newest calls of one tool by anybody, one of each with the same arguments (a rule while it is made). */
  readonly callsOfTool: CallsOfTool
  /** Whether the user has an unfinished run; asked inside the transaction that deletes the user. */
  readonly hasActiveRun: (reader: Reader, user_id: string) => Promise<boolean>
  /**
   * Tells these users, sorted, that something has changed about a role that somebody asks for or has for a while: the last
   * thing of its transaction.
   */
  readonly tellElevation: (trx: Trx, user_ids: readonly string[]) => Promise<void>
  /** Removes everything other features store about a deleted user, in steps. Called again after an interruption. */
  readonly eraseUser: (user_id: string) => Promise<void>
}

/**
 * Key of the lock under which users and roles change (`dialect.serialize`), so that rules across several rows (the last
 * administrator, a role in use, a single setup) hold however many changes happen at once.
 */
export const ACCOUNTS_LOCK = 'accounts'
