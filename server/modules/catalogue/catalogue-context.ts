import type { Caller } from '../../../contract/route.ts'
import type { ModulePolicy, ModuleState } from '../../../contract/modules.ts'
import type { Database, Trx } from '../../db/database.ts'
import type { Log } from '../../kernel/log.ts'
import type { Vault } from '../../kernel/vault.ts'
import type { BuiltinModule } from '../builtin-module.ts'
import type { Compatibility } from '../bundle/compatibility.ts'
import type { ModuleHost } from '../module-host.ts'
import type { Sandbox } from '../process/sandbox.ts'
import type { Backups } from './backups.ts'
import type { ModuleLocks } from './module-lock.ts'
import type { ModuleRecord } from './module-record.ts'
import type { PackageStore } from './package-store.ts'
import type { PackageTrees } from './package-trees.ts'

/** What the catalogue writes down about what was done, and reads again as a module's history. */
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
  readonly sandbox: Sandbox
  /** The data folder: no module is ever given it. */
  readonly dataFolder: string
  /** Everything of modules on this machine: `unpacked`, `staging`, `data`, `backups`, `processes`. */
  readonly folder: string
  /** Packed bundles by digest. */
  readonly packages: PackageStore
  readonly builtins: readonly BuiltinModule[]
  /** Where the folders of the built-in modules are, by name. */
  readonly builtinFolder: string
  /** The kit for authors; the file may be missing. */
  readonly sdkFile: string
  readonly audit: ModuleAudit
  /** Told that a module changed, in the transaction that did it, or with null when its processes did. */
  readonly onChanged: (trx: Trx | null, module: string) => Promise<void>
  readonly reeveVersion: string
}

/** What one change needs: the row compared and replaced, the audit entry, and everybody told. */
export interface ModuleChange {
  readonly caller: Pick<Caller, 'user_id' | 'username'> | null
  readonly action: string
  readonly outcome?: 'ok' | 'failed'
  readonly details?: Record<string, unknown>
  /** Only queries. `now` is later than every earlier change of this module. */
  work(trx: Trx, now: number): Promise<void>
}

/** What a start found out about a module that its rows do not say. */
export interface ModuleFault {
  readonly state: Extract<ModuleState, 'needs_review' | 'failed'>
  readonly problem: string
  /** The version it is about: another one starts without it. */
  readonly digest: string
}

/** What every part of the catalogue works with. */
export interface CatalogueContext extends Omit<CatalogueOptions, 'builtins' | 'packages'> {
  readonly builtins: ReadonlyMap<string, BuiltinModule>
  readonly trees: PackageTrees
  readonly backups: Backups
  readonly locks: ModuleLocks
  readonly faults: Map<string, ModuleFault>
  /** All modules as the rows told last. */
  records(): ReadonlyMap<string, ModuleRecord>
  /** @throws {AppError} not_found; a removed built-in counts as not there */
  record(name: string): ModuleRecord
  policy(): ModulePolicy
  /** Whether a version can run on this machine. */
  compatibility(digest: string): Compatibility
  /**
   * Changes the rows of one module in a transaction, then reads them again and lets the host follow.
   * @throws {AppError} module_busy when they are not as in `record` any more
   */
  change(record: ModuleRecord, change: ModuleChange): Promise<void>
  /** Reads the rows again and lets the host follow. */
  refresh(): Promise<void>
  /** The same, tried several times and again later: for what has to happen, whether the database answers just now or not. */
  refreshSurely(): Promise<void>
  /** Lets the host run `trial` in place of what the rows say, until the returned function is called. */
  tryOut(trial: ModuleRecord): () => void
  /** Lets the host follow what is known now, without reading the rows. */
  follow(): void
}
