import type { Reader, Trx } from '../../db/database.ts'
import type { AppError } from '../../kernel/app-error.ts'

/** Whose use of an engine is counted. */
export interface UsedBy {
  readonly user_id: string
  readonly role_id: string
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
  message(trx: Trx, by: UsedBy, model: string): Promise<void>
  /** Counts tokens in the transaction that stores what they were spent on. */
  tokens(trx: Trx, user_id: string, model: string, used: UsedTokens): Promise<void>
  /** Why no further step may be taken, or null. */
  usedUp(reader: Reader, by: UsedBy): Promise<AppError | null>
}
