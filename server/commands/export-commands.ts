import type { CommandFile } from '../../contract/commands.ts'
import type { Database } from '../db/database.ts'

/** All commands of a user as the import takes them, by name. Holds no ids: the file means the same to everybody. */
export async function exportCommands(db: Database, user_id: string): Promise<CommandFile> {
  const folders = db.read
    .selectFrom('command_folder')
    .select('name')
    .where('user_id', '=', user_id)
    .orderBy('name_folded')
  const commands = db.read
    .selectFrom('command')
    .leftJoin('command_folder', 'command_folder.folder_id', 'command.folder_id')
    .select(['command.name', 'command.prompt', 'command.run_mode', 'command_folder.name as folder'])
    .where('command.user_id', '=', user_id)
    .orderBy('command.name_sort')
    .orderBy('command.command_id')
  // One moment: a folder that a command names must be in the list.
  return db.read.transaction().execute(async (trx) => ({
    version: 1 as const,
    folders: await trx.executeQuery(folders.compile()).then(({ rows }) => rows),
    commands: await trx.executeQuery(commands.compile()).then(({ rows }) => rows),
  }))
}
