import type { CommandFile } from '../../contract/commands.ts'
import { changeCommands, type CommandsContext } from './change-commands.ts'

/** All of a user's commands in the import format, by name. Contains no ids, so the file means the same to everyone. */
export async function exportCommands(context: CommandsContext, user_id: string): Promise<CommandFile> {
  // Under the lock: a folder named by a command must be in the list.
  return changeCommands(context, user_id, async (trx) => {
    const folders = await trx
      .selectFrom('command_folder')
      .select('name')
      .where('user_id', '=', user_id)
      .orderBy('name_folded')
      .execute()
    const commands = await trx
      .selectFrom('command')
      .leftJoin('command_folder', 'command_folder.folder_id', 'command.folder_id')
      .select(['command.name', 'command.prompt', 'command.run_mode', 'command_folder.name as folder'])
      .where('command.user_id', '=', user_id)
      .orderBy('command.name_sort')
      .orderBy('command.command_id')
      .execute()
    return { answer: { version: 1 as const, folders, commands }, changed: null }
  })
}
