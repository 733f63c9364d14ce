import type { Caller } from '../../contract/route.ts'
import type { Trx } from '../db/database.ts'
import { query } from '../db/statement.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { runActive } from './history/active-runs.ts'
import type { RunContext } from './run/run-context.ts'
import type { JustOpened } from './run/step.ts'

export interface OpenedRun {
  readonly run_id: string
  readonly conversation_id: string
  /** Null if the run has no driver yet, or already has one. */
  readonly opened: JustOpened | null
}

const BY_KEY = query((db, is: { user_id: string; idempotency_key: string }) =>
  db
    .selectFrom('run')
    .select(['run_id', 'conversation_id', 'request_hash'])
    .where('user_id', '=', is.user_id)
    .where('idempotency_key', '=', is.idempotency_key),
)

/**
 * Opens a run in one transaction, once per idempotency key: a repeated request gets the existing run.
 * @throws {AppError} idempotency_mismatch when the key was used for another request; run_active when another run has
 * the conversation, however close the race.
 */
export async function runOnce(
  { db }: Pick<RunContext, 'db'>,
  caller: Caller,
  request: { readonly idempotency_key: string | null; readonly request_hash: string },
  /** Reads what the run needs; the function it returns opens the run within the transaction. */
  prepare: () => Promise<(trx: Trx) => Promise<OpenedRun>>,
): Promise<OpenedRun> {
  const known = await findRetry()
  if (known) return known
  const open = await prepare()
  try {
    return await db.transaction(open)
  } catch (error) {
    const beaten = db.isUniqueViolation(error) || (error instanceof AppError && error.code === 'run_active')
    if (!beaten) throw error
    // Either a repeated request won the race, or another message has the conversation.
    const retry = await findRetry()
    if (retry) return retry
    throw runActive()
  }

  async function findRetry(): Promise<OpenedRun | null> {
    if (request.idempotency_key === null) return null
    const { user_id } = caller
    const run = await BY_KEY.first(db.read, { user_id, idempotency_key: request.idempotency_key })
    if (!run) return null
    if (run.request_hash !== request.request_hash) {
      throw new AppError(
        'idempotency_mismatch',
        say`This Idempotency-Key was used for another message. Make a new one.`,
      )
    }
    return { run_id: run.run_id, conversation_id: run.conversation_id, opened: null }
  }
}
