import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { deleteSome, inSteps } from '../db/steps.ts'

/** What each feature removes of a user, in steps. */
export interface Erasers {
  conversations(user_id: string): Promise<void>
  files(user_id: string): Promise<void>
  procedures(user_id: string): Promise<void>
}

/** Tables of which a user may have many rows, and nothing but rows. */
const ROWS = [
  ['event', ['id']],
  ['command', ['command_id']],
  ['command_folder', ['folder_id']],
  ['routine_fire', ['fire_id']],
  ['routine', ['routine_id']],
  ['folder', ['folder_id']],
  ['chat_session', ['session_id']],
  ['change', ['change_id']],
  ['notice_reader', ['user_id', 'notice_id']],
  ['watch', ['watch_id']],
  ['vote', ['subject_id', 'user_id']],
  ['usage_day', ['user_id', 'day', 'engine_id', 'model']],
] as const

/**
 * Creates the function that removes everything of a user except the account, in steps; the next call finishes what was
 * interrupted.
 */
export function createEraseUser(db: Database, erase: Erasers): (user_id: string) => Promise<void> {
  return async (user_id) => {
    await erase.conversations(user_id)
    await erase.files(user_id)
    await erase.procedures(user_id)
    for (const [table, key] of ROWS) await inSteps(db, (trx) => deleteSome(trx, table, key, sql`user_id = ${user_id}`))
  }
}
