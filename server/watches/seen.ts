import type { WatchCondition, WatchSource, WatchValue } from '../../contract/watch-values.ts'
import type { UserPolicy } from '../chat/ports/policy.ts'
import type { Sentence } from '../kernel/sentence.ts'

/** Whose watch it is, and what it looks at. */
export interface Looking {
  /** Null: all administrators'. */
  readonly user_id: string | null
  readonly scope: readonly string[]
  readonly source: WatchSource
  readonly condition: WatchCondition
}

/** One machine or row, and its value; `problem`: why there is none. */
export interface Seen {
  readonly host_id: string
  readonly machine: string
  readonly row: string
  readonly value: WatchValue
  readonly problem: Sentence | null
}

/** What one look has seen. */
export interface Observed {
  /** Why nothing could be looked at. */
  readonly problem: Sentence | null
  readonly seen: readonly Seen[]
  /** Machines that are followed; what is stored of others is there no more. */
  readonly machines: ReadonlySet<string>
  /** Those that have answered in full: a row that they do not name is there no more. */
  readonly answered: ReadonlySet<string>
  readonly columns: readonly { readonly key: string; readonly label: string }[]
  /** Calls of tools, for the audit log. */
  readonly called: readonly CalledTool[]
}

/** A call that a look has made. */
export interface CalledTool {
  readonly actor: Pick<UserPolicy, 'user_id' | 'username' | 'audit_reads'>
  readonly tool_call_id: string
  readonly tool: string
  readonly arguments: string
  readonly host: string
  readonly failed: boolean
}

/** A subject that has crossed or come back in this look, or that is still beyond and is said again. */
export interface Turned {
  readonly turn: 'crossed' | 'recovered' | 'again'
  readonly crossing_id: string
  readonly machine: string
  readonly row: string
  readonly value: WatchValue
}
