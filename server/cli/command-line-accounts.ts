import { userInfo } from 'node:os'
import type { Caller } from '../../contract/route.ts'
import type { AccountsContext } from '../accounts/accounts-context.ts'
import { type Audit, openAudit } from '../accounts/audit.ts'
import { openLog } from '../kernel/log.ts'
import { loadOrCreateKey, openVault } from '../kernel/vault.ts'
import type { Place } from './open-place.ts'

/** Accounts as the command line changes them: the same rules and the same audit log as in the pages. */
export function commandLineAccounts({ config, db }: Place): {
  context: AccountsContext
  audit: Audit
  caller: Caller
} {
  const context: AccountsContext = {
    db,
    vault: openVault(loadOrCreateKey(config.dataFolder, config.secretKey)),
    log: openLog('silent'),
    clock: Date.now,
    findTool: () => undefined,
    pastCalls: async () => ({ items: [], partial: false }),
    hasActiveRun: async () => false,
    onUserDeleting: async () => async () => undefined,
  }
  return { context, audit: openAudit(db, Date.now), caller: commandLineCaller() }
}

/** Who may run commands here may read the database anyway: in the audit log it is the account of the operating system. */
function commandLineCaller(): Caller {
  const name = `${userInfo().username} (command line)`
  return {
    user_id: 'command-line',
    username: name,
    display_name: name,
    role_id: '',
    admin: true,
    session_id: '',
    kind: 'session',
    language: 'en',
    scope: null,
  }
}
