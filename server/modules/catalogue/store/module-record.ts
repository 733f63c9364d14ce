import type { z } from 'zod'
import type {
  Capabilities,
  Instances,
  LaunchExtras,
  LogLevel,
  ModuleKind,
  SettingValue,
} from '../../../../contract/modules.ts'
import type { FoundSignature } from '../../bundle/signature/found-signature.ts'
import { Manifest } from '../../bundle/manifest/manifest.ts'
import type { ConnectionState } from '../../connections/connection-rows.ts'
import type { BuiltinModule } from '../../spec/builtin-module.ts'
import { NO_EXTRAS } from './stored-extras.ts'

/** One module as its rows describe it, or the defaults of a built-in without rows. Times are in epoch milliseconds. */
export interface ModuleRecord {
  readonly name: string
  readonly kind: z.infer<typeof ModuleKind>
  readonly display_name: string
  /** Only for a built-in. */
  readonly builtin: BuiltinModule | null
  /** That of the current version; null for remote modules. */
  readonly manifest: Manifest | null
  readonly url: string | null
  readonly allow_private: boolean
  readonly enabled: boolean
  /** A built-in that was uninstalled. */
  readonly removed: boolean
  /** As saved; may contain keys that only versions kept for rollback know. */
  readonly settings: Readonly<Record<string, SettingValue>>
  readonly secrets: ReadonlyMap<string, SealedSecret>
  /** Null means what the bundle declares. */
  readonly grants: Capabilities | null
  readonly consent: string | null
  /** MiB of memory; null means the limit of the policy. */
  readonly memory_mib: number | null
  /** What an administrator chose; null means what the bundle says. */
  readonly instances: Instances | null
  /** From which level on it tells what it does; null: as it decides. */
  readonly log_level: LogLevel | null
  /** What an administrator adds to its launch; the values of the variables are among `secrets`. */
  readonly extras: LaunchExtras
  readonly pins: ReadonlyMap<string, string>
  /** That by which a remote module is reached; null: there is none, or it needs none. */
  readonly connection: ConnectionState | null
  /** The version that runs; null for built-in and remote modules. */
  readonly current: InstalledVersion | null
  /** Newest first. */
  readonly versions: readonly InstalledVersion[]
  /** 0 when there is no row. */
  readonly created_at: number
  readonly updated_at: number
}

export interface SealedSecret {
  readonly sealed: string
  readonly updated_at: number
}

export interface InstalledVersion {
  readonly digest: string
  readonly version: string
  readonly manifest: Manifest
  readonly signature: FoundSignature
  readonly size: number
  readonly probe: unknown
  readonly installed_at: number
  /** Id of its package in the store. */
  readonly stored_as: string
}

/** A module of which only the name is known. */
export function newRecord(name: string, kind: ModuleRecord['kind'], display_name: string): ModuleRecord {
  return {
    name,
    kind,
    display_name,
    builtin: null,
    manifest: null,
    url: null,
    allow_private: false,
    enabled: false,
    removed: false,
    settings: {},
    secrets: new Map(),
    grants: null,
    consent: null,
    memory_mib: null,
    instances: null,
    log_level: null,
    extras: NO_EXTRAS,
    pins: new Map(),
    connection: null,
    current: null,
    versions: [],
    created_at: 0,
    updated_at: 0,
  }
}

/** A built-in without a row. */
export function untouchedBuiltin(builtin: BuiltinModule): ModuleRecord {
  const { name, display_name } = builtin.manifest
  return {
    ...newRecord(name, 'builtin', display_name),
    builtin,
    manifest: Manifest.parse(builtin.manifest),
    enabled: true,
  }
}

export function versionOf(record: ModuleRecord): string {
  return record.builtin?.manifest.version ?? record.current?.version ?? ''
}
