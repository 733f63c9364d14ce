import type { Caller, Permission } from '../../contract/route.ts'
import type { AuditLog } from '../chat/ports/audit-log.ts'
import type { EngineChoice } from '../chat/ports/model.ts'
import type { Senders } from '../chat/ports/senders.ts'
import type { Database, Reader, Trx } from '../db/database.ts'
import type { Log } from '../kernel/log.ts'
import type { Sentence } from '../kernel/sentence.ts'
import type { Vault } from '../kernel/vault.ts'
import type { TellNotice } from '../chat/ports/notices.ts'

/** A message that a routine sends, and what holds for its run. */
export interface RoutineMessage {
  readonly message: string
  /** What its conversation is called. */
  readonly title: string
  readonly engine: EngineChoice | null
  readonly procedure: RoutineProcedure | null
  readonly facts: { readonly source: 'hook' | 'watch'; readonly name: string; readonly text: string } | null
  readonly asks: readonly Permission[]
  /** The fire: what is sent twice for it is one run. */
  readonly idempotency_key: string
  readonly run_id: string
  readonly bounds: {
    readonly work_ms: number
    readonly tokens: number | null
    readonly calls: number | null
    readonly card_ms: number
  }
}

/** A run that was stored, and that nothing drives before `begin`. */
export interface StoredRoutineRun {
  readonly run_id: string
  readonly conversation_id: string
}

/** Sending messages; `chat` does, `app` fills it. */
export interface RoutineRuns<R extends StoredRoutineRun = StoredRoutineRun> {
  /** Reads what it needs; the function it returns stores message and run as the last thing of a transaction. */
  prepare(owner: Caller, message: RoutineMessage): Promise<(trx: Trx) => Promise<R>>
  /** Starts to drive what is committed. */
  begin(run: R): void
  /** Stops runs, and waits until they rest. */
  cancel(run_ids: readonly string[]): Promise<{ cancelled_count: number }>
  /** @throws {AppError} engine_not_allowed */
  checkEngine(owner: Caller, choice: EngineChoice): void
}

export interface RoutineProcedure {
  readonly procedure_id: string
  readonly version: number
  readonly values: Record<string, unknown>
}

/** Reviewed procedures; `procedures` has them, `app` fills it. */
export interface RoutineProcedures {
  /** Why somebody cannot run it now; null when they can. */
  check(reader: Reader, user_id: string, procedure: RoutineProcedure): Promise<Sentence | null>
  title(reader: Reader, procedure: RoutineProcedure): Promise<string>
}

/**
 * Ends what is owed, and tells of it, as the last things of the transaction that brought it about; false, and nothing is told,
 * where it was ended before.
 */
export type SettleReport = (trx: Trx, tell?: (trx: Trx) => Promise<void>) => Promise<boolean>

/**
 * Makes the report of a run that has ended, once however often it is called, and settles it, unless the run is `active`;
 * `reports` does, `app` fills it. @throws whatever may be over a moment later
 */
export type ReportEnded = (
  run_id: string,
  about: { readonly name: string; readonly settle: SettleReport; readonly signal: AbortSignal },
) => Promise<'ready' | 'failed' | 'nothing' | 'active'>

/** Everything outside of routines that they need. */
export interface RoutinesContext {
  readonly db: Database
  readonly vault: Vault
  readonly audit: AuditLog
  readonly senders: Pick<Senders, 'owner' | 'permission'>
  readonly runs: RoutineRuns
  /** Null where there are none. */
  readonly procedures: RoutineProcedures | null
  readonly tellNotice: TellNotice
  readonly reportEnded: ReportEnded
  /** Tells its owner's pages that a routine has changed; as the last thing of a transaction. */
  readonly onChanged: (trx: Trx, user_id: string, routine_id: string) => Promise<void>
  /** The time that schedules go by, in epoch milliseconds. */
  readonly now: () => Promise<number>
  readonly log: Log
}
