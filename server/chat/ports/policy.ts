import type { Loosened } from '../../../contract/grants.ts'
import type { RuleSpec } from '../../../contract/rule-conditions.ts'
import type { Caller, Effect, Elevated, Permission } from '../../../contract/route.ts'
import type { JudgedHost } from './hosts.ts'
import type { ProcedureCall } from './procedures.ts'
import type { Tool } from './tools.ts'

/**
 * The port through which a run asks what its owner may do, always as of now. `accounts` implements it, `app` fills it.
 */
export interface Policy {
  /**
   * Null when the user is gone or disabled. `by`: a role that the user has taken for a while counts for what a signed-in
   * person does, not for access tokens.
   */
  forUser(user_id: string, scope: readonly string[] | null, by: Caller['kind']): Promise<UserPolicy | null>
  /** Calls like this one, in which one thing may be another, the narrowest first; none where that cannot be said. */
  like(tool: Tool, args: Record<string, unknown>): readonly Pattern[]
  /** Whether a call is surely one of a pattern. */
  covers(tool: JudgedTool, pattern: Pattern, args: Record<string, unknown>): boolean
}

/** What calls may be: conditions as in a rule that allows, so no argument that they don't name can ride along. */
export interface Pattern {
  readonly spec: Pick<RuleSpec, 'when' | 'free'>
  /** The same for a person who sees the call it was made of. */
  readonly loosened: Loosened
}

export interface UserPolicy {
  /** As of which revision (db/revisions) it was read: a call is started only while that has not moved. */
  readonly revision: number
  readonly user_id: string
  readonly username: string
  readonly role_id: string
  /** Present while the role is one that the user has taken for a while. */
  readonly elevated?: Elevated
  readonly language: string
  readonly personal_prompt: string
  /** How the audit log keeps calls that only read. */
  readonly audit_reads: 'off' | 'count' | 'full'
  permission(permission: Permission): Verdict
  /** Whether they may run a procedure. */
  procedure(procedure_id: string): Verdict
  /** The mildest that a call of the tool can come to, whatever its arguments: what is denied here need not be offered. */
  list(tool: ListedTool): Omit<Verdict, 'basis'>
  /** What a call with exactly these arguments comes to. */
  call(tool: JudgedTool, args: Record<string, unknown>, context: CallContext): Verdict
  /** Whether calls may be about a machine at all. */
  mayUse(host: JudgedHost): boolean
}

type Rated = 'module' | 'name' | 'effect' | 'builtin' | 'reach' | 'agreed'
type Defined = 'definition_hash' | 'input_schema' | 'real_paths' | 'fill'
export type JudgedTool = Pick<Tool, Rated | Defined>
/** Without its definition it is judged as if no rule with conditions could allow it. */
export type ListedTool = Pick<Tool, Rated> & Partial<Pick<Tool, Defined>>

/** What else a call is judged by. */
export interface CallContext {
  /** Its conversation held what others may have written when the call was asked for. */
  readonly untrusted: boolean
  /** The machines that it is about, of a tool that works on machines: judged on each, the strictest verdict counts. */
  readonly hosts?: readonly JudgedHost[] | undefined
  /** Its run carries out a procedure: what it is to that. */
  readonly procedure?: ProcedureCall | undefined
}

/** So many people of a role, none of them the one who asks. */
export interface Need {
  readonly role_id: string
  readonly count: number
}

export interface Verdict {
  readonly effect: Effect
  /** The reason, as a sentence for the approval card or the refusal. */
  readonly reason: string
  /** Changes whenever what led to the decision changes (role, rule, default): an approval is bound to it. */
  readonly basis: string
  /** It asks, and no earlier approval counts. */
  readonly every_time?: true
  /** Who must agree to a call that asks, sorted by role; empty or left out: the person who asks does. */
  readonly needs?: readonly Need[]
  /** A rule denies it, not merely that there is none. */
  readonly ruled_out?: true
  /** Denied only because the tool is switched off for everyone. */
  readonly off?: true
}
