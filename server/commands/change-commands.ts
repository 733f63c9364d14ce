import type { Database, Trx } from '../db/database.ts'

/** Whose quick commands changed, and which: a command, a folder, or (neither) many. */
export interface CommandChange {
  readonly user_id: string
  readonly command_id?: string
  readonly folder_id?: string
}

export interface CommandsContext {
  readonly db: Database
  /** Called at the end of the changing transaction; writes the `command.changed` event. */
  readonly onChanged: (trx: Trx, change: CommandChange) => Promise<void>
}

/**
 * Runs `work` in a transaction during which nothing else changes this user's commands and folders, so that limits hold
 * and a folder that was found still exists when a command is filed in it.
 */
export async function changeCommands<T>(
  { db, onChanged }: CommandsContext,
  user_id: string,
  work: (trx: Trx) => Promise<{ answer: T; changed: Omit<CommandChange, 'user_id'> | null }>,
): Promise<T> {
  return db.transaction(async (trx) => {
    await db.dialect.serialize(trx, `command:${user_id}`)
    const { answer, changed } = await work(trx)
    if (changed) await onChanged(trx, { user_id, ...changed })
    return answer
  })
}
