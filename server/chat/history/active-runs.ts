import { sql } from 'kysely'
import type { z } from 'zod'
import type { ConversationEntry } from '../../../contract/chat.ts'
import type { Reader } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'

/**
 * Condition "this run is unfinished", worded exactly as in the partial indexes; with parameters they would not be used.
 */
export const ACTIVE = sql<boolean>`run.status in ('thinking', 'acting', 'waiting_approval')`
/** Condition "this run should have a driver". */
export const DRIVEN = sql<boolean>`run.status in ('thinking', 'acting')`

type ActiveRun = NonNullable<z.infer<typeof ConversationEntry>['active_run']>

const OF_USER = query((db, is: { user_id: string }) =>
  db.selectFrom('run').select(['run_id', 'status', 'conversation_id']).where('user_id', '=', is.user_id).where(ACTIVE),
)
const OF_CONVERSATION = query((db, is: { conversation_id: string }) =>
  db.selectFrom('run').select(['run_id', 'status']).where('conversation_id', '=', is.conversation_id).where(ACTIVE),
)

/** Unfinished runs of a user by conversation. */
export async function activeRuns(reader: Reader, user_id: string): Promise<Map<string, ActiveRun>> {
  const rows = await OF_USER.all(reader, { user_id })
  return new Map(rows.map((row) => [row.conversation_id, { run_id: row.run_id, status: row.status }]))
}

export async function hasActiveRun(reader: Reader, user_id: string): Promise<boolean> {
  return (await activeRuns(reader, user_id)).size > 0
}

/** The unfinished run of a conversation, if there is one. */
export async function activeRun(reader: Reader, conversation_id: string): Promise<ActiveRun | null> {
  return (await OF_CONVERSATION.first(reader, { conversation_id })) ?? null
}

export function runActive(): AppError {
  return new AppError(
    'run_active',
    say`A run is active in this conversation. Wait for it, decide its approvals, or stop it.`,
  )
}
