import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../kernel/log.ts'
import type { Vault } from '../kernel/vault.ts'
import { openHost } from '../modules/host.ts'
import { DATA_ID } from '../modules/ownership/data-store.ts'
import { openSharedHost, type SharedHost } from '../modules/ownership/shared-host.ts'
import { openBytes } from './open-bytes.ts'

interface Of {
  readonly db: Database
  readonly vault: Vault
  readonly log: Log
  /** The data folders of the modules. */
  readonly moduleData: string
}

/**
 * The host of modules where several processes may use one database: those with data run in one of them. Null on the
 * embedded database, which one process has for itself.
 */
export async function openModuleSharing(config: Config, of: Of): Promise<SharedHost | null> {
  if (config.databaseUrl === null) return null
  // Without a bucket there is nowhere to keep data where other processes find them.
  const kept = config.filesAddress !== null && config.moduleData === null
  return openSharedHost({
    local: openHost({ log: of.log }),
    db: of.db,
    vault: of.vault,
    log: of.log,
    store: kept ? await openBytes(config, { folder: 'modules/kept', name: 'module-data', ids: DATA_ID }) : null,
    dataFolder: of.moduleData,
    marks: join(config.dataFolder, 'modules', 'data-marks'),
  })
}
