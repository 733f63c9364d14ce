import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'
import * as accounts from './0001-accounts.ts'
import * as chat from './0002-chat.ts'
import * as filesAndModules from './0003-files-and-modules.ts'
import * as quickCommands from './0004-quick-commands.ts'
import * as search from './0005-search.ts'
import * as modules from './0006-modules.ts'
import * as questions from './0007-questions.ts'
import * as files from './0008-files.ts'
import * as signInMethods from './0009-sign-in-methods.ts'
import * as usage from './0010-usage.ts'
import * as invitations from './0011-invitations.ts'

export interface Migration {
  readonly name: string
  up(db: Kysely<unknown>, dialect: Dialect): Promise<void>
}

/** Every migration in its order. Forward only: a released one is never edited, and none is ever removed. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-accounts', up: accounts.up },
  { name: '0002-chat', up: chat.up },
  { name: '0003-files-and-modules', up: filesAndModules.up },
  { name: '0004-quick-commands', up: quickCommands.up },
  { name: '0005-search', up: search.up },
  { name: '0006-modules', up: modules.up },
  { name: '0007-questions', up: questions.up },
  { name: '0008-files', up: files.up },
  { name: '0009-sign-in-methods', up: signInMethods.up },
  { name: '0010-usage', up: usage.up },
  { name: '0011-invitations', up: invitations.up },
]
