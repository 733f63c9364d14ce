import type { commands as contract } from '../../contract/commands.ts'
import type { Handlers } from '../../contract/route.ts'
import type { CommandsContext } from './change-commands.ts'
import { CommandFolders } from './command-folders.ts'
import { Commands } from './commands.ts'
import { exportCommands } from './export-commands.ts'
import { importCommands } from './import-commands.ts'
import { listCommands } from './list-commands.ts'

/** The handlers of the routes under /api/quick-commands and /api/quick-command-folders. */
export function commandRoutes(context: CommandsContext): Handlers<typeof contract> {
  const { db } = context
  const commands = new Commands(context)
  const folders = new CommandFolders(context)
  return {
    list: async ({ caller, query }) => ({
      ...(await listCommands(db.read, caller.user_id, query)),
      folders: await folders.list(caller.user_id, caller.language),
      query: query.q,
    }),
    create: async ({ caller, body: { folder_id, ...text } }) => ({
      ok: true,
      item: await commands.create(caller.user_id, text, folder_id),
    }),
    update: async ({ caller, params, body }) => ({
      ok: true,
      item: await commands.update(caller.user_id, params.command_id, body),
    }),
    remove: async ({ caller, params: { command_id } }) => {
      await commands.delete(caller.user_id, command_id)
      return { ok: true, deleted: command_id }
    },
    assignFolder: async ({ caller, params: { command_id }, body: { folder_id } }) => {
      await commands.assignFolder(caller.user_id, command_id, folder_id)
      return { ok: true, command_id, folder_id }
    },
    createFolder: async ({ caller, body }) => ({ ok: true, folder: await folders.create(caller.user_id, body.name) }),
    deleteFolder: async ({ caller, params: { folder_id } }) => {
      await folders.delete(caller.user_id, folder_id)
      return { ok: true, deleted: folder_id }
    },
    exportAll: ({ caller }) => exportCommands(context, caller.user_id),
    importAll: async ({ caller, body, query }) => ({
      ok: true,
      ...(await importCommands(context, caller.user_id, body, query.on_conflict)),
    }),
  }
}
