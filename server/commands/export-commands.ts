import type { CommandFile } from '../../contract/commands.ts'
import { changeCommands, type CommandsContext } from './change-commands.ts'

/** All commands of a user as the import takes them, by name. Holds no ids: the file means the same to everybody. */
export async function exportCommands(context: CommandsContext, user_id: string): Promise<CommandFile> {
  // While nobody changes them: a folder that a command names must be in the list.
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
