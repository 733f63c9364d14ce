import type { Caller } from '../../contract/route.ts'
import type { AccountsContext } from '../accounts/accounts-context.ts'
import { type Audit, openAudit } from '../accounts/audit/audit.ts'
import { Roles } from '../accounts/policy/load-role.ts'
import { Passwords } from '../accounts/sign-in/passwords.ts'
import { hasActiveRun } from '../chat/history/active-runs.ts'
import type { PurgeFiles } from '../chat/conversations/erase-conversation.ts'
import type { Files } from '../files/files.ts'
import { openLog } from '../kernel/log.ts'
import { commandLineCaller } from './command-line-caller.ts'
import { openStores, type Place, storeFolders } from './open-place.ts'
import { placeVault } from './place-vault.ts'

/** Accounts as changed from the command line: with the same rules and the same audit log as in the pages. */
export async function commandLineAccounts(place: Place): Promise<{
  context: AccountsContext
  audit: Audit
  caller: Caller
}> {
  const { db } = place
  const context: AccountsContext = {
    db,
    roles: new Roles(db),
    vault: await placeVault(place),
    passwords: new Passwords(),
    log: openLog('silent'),
    clock: Date.now,
    findTool: () => undefined,
    toolNames: () => [],
    toolTitle: (_module, title) => title,
    pastCalls: async () => ({ items: [], partial: false }),
    pastArguments: async () => new Map(),
    callsOfTool: async () => ({ items: [], partial: false }),
    hasActiveRun,
    procedure: async () => null,
    hosts: async () => [],
    tellElevation: async (trx, user_ids) => {
      const { Activity } = await import('../chat/history/activity.ts')
      await new Activity(db).appendForEach(trx, user_ids, { type: 'elevation.changed' })
    },
    eraseUser: async (user_id) => {
      const { Activity } = await import('../chat/history/activity.ts')
      const { Bin } = await import('../chat/conversations/bin.ts')
      const { leaseOwner } = await import('../chat/run/leases.ts')
      const { createEraseUser } = await import('../operation/erase-user.ts')
      const files = await storedFiles(place)
      const purgeFiles: PurgeFiles = (...those) => files.purge(...those)
      const bin = new Bin({ db, activity: new Activity(db), purgeFiles }, leaseOwner(db, ''))
      const { eraseProcedures } = await import('../procedures/erase-procedures.ts')
      const erase = {
        conversations: (id: string) => bin.eraseAll(id),
        files: (id: string) => files.eraseAll(id),
        procedures: (id: string) => eraseProcedures(db, id),
      }
      await createEraseUser(db, erase)(user_id)
    },
  }
  return { context, audit: openAudit(db, Date.now), caller: commandLineCaller() }
}

/**
 * Stored files, for erasing those of a user. The service's sweep removes their bytes, and what was made of them.
 */
async function storedFiles({ config, db }: Place): Promise<Files> {
  const { Files } = await import('../files/files.ts')
  const { files } = await openStores(config, storeFolders(config.dataFolder))
  return new Files({
    database: db,
    store: files,
    sizeLimit: 0,
    quota: 0,
    onCreated: async () => undefined,
  })
}
