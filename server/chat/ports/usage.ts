import type { Reader, Trx } from '../../db/database.ts'
import type { AppError } from '../../kernel/app-error.ts'

/** Whose use of an engine is counted. */
export interface UsedBy {
  readonly user_id: string
  readonly role_id: string
}
/** What was used: an engine and one of its models. */
export interface UsedEngine {
  readonly engine_id: string
  readonly model: string
}
export interface UsedTokens {
  readonly input_tokens: number
  readonly output_tokens: number
  /** Null where the engine has no price. */
  readonly cost_micros: number | null
}

/**
 * The port through which runs report their engine use and ask whether any quota is left. `usage` implements it, `app`
 * fills it.
 */
export interface Usage {
  /** Counts a message in the transaction that stores it. @throws {AppError} quota_used_up */
  message(trx: Trx, by: UsedBy, engine: UsedEngine): Promise<void>
  /** Counts tokens in the transaction that stores what they were spent on. */
  tokens(trx: Trx, user_id: string, engine: UsedEngine, used: UsedTokens): Promise<void>
  /** Why no further step may be taken with this engine, or null. */
  usedUp(reader: Reader, by: UsedBy, engine_id: string): Promise<AppError | null>
}
