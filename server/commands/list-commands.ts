import { sql } from 'kysely'
import type { Command } from '../../contract/commands.ts'
import type { CommandTable } from '../db/rows/command-tables.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { fold, likePattern, storable } from '../kernel/text/plain-text.ts'
import { iso } from '../kernel/time.ts'

export interface CommandQuery {
  readonly q: string
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Only the columns that are shown, and those that determine the position in the list. */
export const COMMAND_COLUMNS = [
  'command_id',
  'name',
  'name_sort',
  'prompt',
  'run_mode',
  'folder_id',
  'created_at',
  'updated_at',
] as const
export type CommandRow = Pick<CommandTable, (typeof COMMAND_COLUMNS)[number]>

/**
 * A user's commands by name, ignoring case and accents. With `q`, those whose name and prompt contain every word.
 * @throws {AppError} invalid_request for a cursor that does not belong to this list
 */
export async function listCommands(
  reader: Reader,
  user_id: string,
  { q, limit, cursor }: CommandQuery,
): Promise<{ items: Command[]; next_cursor: string | null }> {
  let select = reader
    .selectFrom('command')
    .select(COMMAND_COLUMNS)
    .where('user_id', '=', user_id)
    .orderBy('name_sort')
    .orderBy('command_id')
    .limit(limit + 1)
  if (cursor !== undefined) {
    const { name_sort, command_id } = readCursor(cursor)
    select = select.where(sql<boolean>`(name_sort, command_id) > (${name_sort}, ${command_id})`)
  }
  for (const word of fold(storable(q)).split(/\s+/u).filter(Boolean)) {
    const pattern = likePattern(word)
    select = select.where(
      sql<boolean>`(name_folded like ${pattern} escape '\\' or prompt_folded like ${pattern} escape '\\')`,
    )
  }
  const rows = await select.execute()
  const kept = rows.slice(0, limit)
  return { items: kept.map(toCommand), next_cursor: rows.length > limit ? cursorOf(kept.at(-1)!) : null }
}

export function toCommand(row: CommandRow): Command {
  const { command_id, name, prompt, run_mode, folder_id, created_at, updated_at } = row
  return { command_id, name, prompt, run_mode, folder_id, created_at: iso(created_at), updated_at: iso(updated_at) }
}

function cursorOf({ name_sort, command_id }: CommandRow): string {
  return `${Buffer.from(name_sort).toString('base64url')}.${command_id}`
}

function readCursor(cursor: string): Pick<CommandRow, 'name_sort' | 'command_id'> {
  const match = /^([\w-]*)\.(cmd_[0-9a-z]+)$/.exec(cursor)
  if (!match) {
    const message = say`This cursor does not belong to a list of quick commands.`
    throw new AppError('invalid_request', message, { errors: [{ path: 'cursor', message }] })
  }
  return { name_sort: storable(Buffer.from(match[1]!, 'base64url').toString()), command_id: match[2]! }
}
