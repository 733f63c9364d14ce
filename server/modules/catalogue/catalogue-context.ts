import type { Caller } from '../../../contract/route.ts'
import type { ModulePolicy, ModuleState } from '../../../contract/modules.ts'
import type { Database, Trx } from '../../db/database.ts'
import type { Log } from '../../kernel/log.ts'
import type { Sentence } from '../../kernel/sentence.ts'
import type { Vault } from '../../kernel/vault.ts'
import type { BuiltinModule } from '../spec/builtin-module.ts'
import type { Compatibility } from '../bundle/manifest/compatibility.ts'
import type { SharedHost } from '../ownership/shared-host.ts'
import type { ModuleLimits } from '../spec/module-limits.ts'
import type { ModuleHost } from '../supervision/module-host.ts'
import type { Sandbox } from '../process/sandbox.ts'
import type { NpmRegistryOptions } from '../source/npm/npm-registry.ts'
import type { PypiIndexOptions } from '../source/pypi/pypi-index.ts'
import type { Backups } from './install/backups.ts'
import type { LostConnections } from '../connections/connectable.ts'
import type { Connections } from '../connections/connections.ts'
import type { ModuleLocks } from './store/module-lock.ts'
import type { ModuleRecord } from './store/module-record.ts'
import type { PackageStore } from './store/package-store.ts'
import type { PackageTrees } from './store/package-trees.ts'
import type { RoleRules } from './role-rules.ts'

/** Records what was done to modules, and reads it back as a module's history. */
export interface ModuleAudit {
  record(trx: Trx, entry: ModuleAuditEntry): Promise<void>
  about(
    target: string,
    limit: number,
  ): Promise<
    readonly {
      readonly at: string
      readonly actor: string
      readonly action: string
      readonly outcome: 'ok' | 'refused' | 'failed'
      readonly details: Record<string, unknown>
    }[]
  >
}
export interface ModuleAuditEntry {
  readonly actor: Pick<Caller, 'user_id' | 'username'> | null
  readonly action: string
  readonly target: string
  readonly outcome: 'ok' | 'refused' | 'failed'
  readonly details: Record<string, unknown>
}

export interface CatalogueOptions {
  readonly db: Database
  readonly vault: Vault
  readonly log: Log
  readonly host: ModuleHost
  /** The same host, where several processes share modules with data; null where there is one process. */
  readonly shared: SharedHost | null
  readonly sandbox: Sandbox
  /** The data folder, which no module is ever given. */
  readonly dataFolder: string
  /** All files of modules on this machine: `unpacked`, `staging`, `backups`, `processes`. */
  readonly folder: string
  /** The data folders of the modules: one for each, of its name. */
  readonly moduleData: string
  readonly limits: ModuleLimits
  /** Packed bundles by digest. */
  readonly packages: PackageStore
  readonly builtins: readonly BuiltinModule[]
  /** Where the folders of the built-in modules are, by name. */
  readonly builtinFolder: string
  /** The kit for authors; the file may be missing. */
  readonly sdkFile: string
  /** The registry that packages of modules are fetched from; null: none is asked. */
  readonly npm: NpmRegistryOptions | null
  /** The index that Python packages of modules are fetched from; null: none is asked. */
  readonly pypi: PypiIndexOptions | null
  /** The MCP registry in which servers are searched for; null: none is asked. */
  readonly mcpRegistry: string | null
  readonly audit: ModuleAudit
  readonly rules: RoleRules
  /** Called when a module changed: in the transaction that changed it, or with null when its processes changed. */
  readonly onChanged: (trx: Trx | null, module: string) => Promise<void>
  readonly lost: LostConnections
  readonly reeveVersion: string
}

/** One change of a module: compares and replaces its row, records it in the audit log, and notifies clients. */
export interface ModuleChange {
  readonly caller: Pick<Caller, 'user_id' | 'username'> | null
  readonly action: string
  readonly outcome?: 'ok' | 'failed'
  readonly details?: Record<string, unknown>
  /** Whether it is refused while a call of the module runs, in whichever process. */
  readonly idle?: boolean
  /** Only queries. `now` is later than every earlier change of this module. */
  work(trx: Trx, now: number): Promise<void>
}

/** What a start found out about a module that is not in its rows. */
export interface ModuleFault {
  readonly state: Extract<ModuleState, 'needs_review' | 'failed'>
  readonly problem: Sentence
  /** The version it is about; any other version starts without it. */
  readonly digest: string
}

/** What every part of the catalogue uses. */
export interface CatalogueContext extends Omit<CatalogueOptions, 'builtins' | 'packages'> {
  readonly builtins: ReadonlyMap<string, BuiltinModule>
  readonly trees: PackageTrees
  readonly backups: Backups
  readonly locks: ModuleLocks
  readonly connections: Connections
  readonly faults: Map<string, ModuleFault>
  /** Digests whose files were just compared, for the start that follows at once. */
  readonly compared: Set<string>
  /** All modules as they were last read from the rows. */
  records(): ReadonlyMap<string, ModuleRecord>
  /** @throws {AppError} not_found, also for a removed built-in */
  record(name: string): ModuleRecord
  /** What this installation requires of every installed module. */
  requirements(): ModulePolicy
  /** Whether a version can run on this machine. */
  compatibility(digest: string): Compatibility
  /**
   * Changes the rows of one module in a transaction, then reads them again and lets the host follow.
   * @throws {AppError} module_busy when they no longer match `record`, or a call runs that forbids the change
   */
  change(record: ModuleRecord, change: ModuleChange): Promise<void>
  /** Reads the rows again and lets the host follow. */
  refresh(): Promise<void>
  /**
   * The same with several attempts and later retries, for what must happen even if the database does not answer right
   * now.
   */
  refreshSurely(): Promise<void>
  /** Has the host run `trial` instead of what the rows say, until the returned function is called. */
  tryOut(trial: ModuleRecord): () => void
  /** Has the host keep a module down until the returned function is called. */
  pause(name: string): () => void
  /** Has the host follow what is known now, without reading the rows. */
  follow(): void
}
