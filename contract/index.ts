import { accounts } from './accounts.ts'
import { chat } from './chat.ts'
import { commands } from './commands.ts'
import { files } from './files.ts'
import { modules } from './modules.ts'
import { operation, pages } from './pages.ts'
import { tables } from './tables.ts'

/** Every route of the service, by group. */
export const contract = { accounts, chat, commands, files, tables, modules, pages, operation }
