import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../kernel/log.ts'
import type { Vault } from '../kernel/vault.ts'
import { openHost } from '../modules/host.ts'
import { DATA_ID } from '../modules/ownership/data-store.ts'
import { openSharedHost, type SharedHost } from '../modules/ownership/shared-host.ts'
import type { ModuleLimits } from '../modules/spec/module-limits.ts'
import type { ModuleHost } from '../modules/supervision/module-host.ts'
import { openBytes } from './open-bytes.ts'

interface Of {
  readonly db: Database
  readonly vault: Vault
  readonly log: Log
  /** All files of modules on this machine. */
  readonly folder: string
  /** Identifies this process among those on the database. */
  readonly me: string
}

/** What runs the modules, and where their data folders are. */
export interface OpenedModuleHost {
  readonly host: ModuleHost
  /** The same host where several processes may use one database: modules with data run in one of them. */
  readonly shared: SharedHost | null
  readonly moduleData: string
  readonly limits: ModuleLimits
  /** The registry that packages of modules are fetched from; null: none is asked. */
  readonly npm: Config['npm']
  /** The index that Python packages of modules are fetched from; null: none is asked. */
  readonly pypi: Config['pypi']
  /** The registry in which servers are searched for; null: none is asked. */
  readonly mcpRegistry: string | null
}

/** On the embedded database, which one process has for itself, nothing is shared. */
export async function openModuleHost(config: Config, { db, vault, log, folder, me }: Of): Promise<OpenedModuleHost> {
  const moduleData = config.moduleData ?? join(folder, 'data')
  const { moduleLimits: limits, npm, pypi, mcpRegistry } = config
  const parts = { moduleData, limits, npm, pypi, mcpRegistry }
  const local = openHost({ log, start_ms: limits.start_ms })
  if (config.databaseUrl === null) return { host: local, shared: null, ...parts }
  // Without a bucket there is nowhere to keep data where other processes find them.
  const kept = config.filesAddress !== null && config.moduleData === null
  const shared = openSharedHost({
    local,
    db,
    vault,
    log,
    me,
    store: kept ? await openBytes(config, { folder: 'modules/kept', name: 'module-data', ids: DATA_ID }) : null,
    dataFolder: moduleData,
    marks: join(folder, 'data-marks'),
  })
  return { host: shared, shared, ...parts }
}
