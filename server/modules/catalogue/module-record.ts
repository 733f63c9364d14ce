import type { z } from 'zod'
import type { Capabilities, ModuleKind, SettingValue, Signature } from '../../../contract/modules.ts'
import { Manifest } from '../bundle/manifest.ts'
import type { BuiltinModule } from '../builtin-module.ts'

/** One module as the rows tell it; of a built-in without rows, how it comes. Times are epoch milliseconds. */
export interface ModuleRecord {
  readonly name: string
  readonly kind: z.infer<typeof ModuleKind>
  readonly display_name: string
  /** Only of a built-in. */
  readonly builtin: BuiltinModule | null
  /** As the current version has it; null for remote modules. */
  readonly manifest: Manifest | null
  readonly url: string | null
  readonly allow_private: boolean
  readonly enabled: boolean
  /** A built-in that was uninstalled. */
  readonly removed: boolean
  /** As they were saved: may hold keys that the current version does not know, for those it may go back to. */
  readonly settings: Readonly<Record<string, SettingValue>>
  readonly secrets: ReadonlyMap<string, SealedSecret>
  /** Null: what the bundle declares. */
  readonly grants: Capabilities | null
  readonly consent: string | null
  readonly pins: ReadonlyMap<string, string>
  /** The version that runs; null for built-in and remote modules. */
  readonly current: InstalledVersion | null
  /** Newest first. */
  readonly versions: readonly InstalledVersion[]
  /** 0 where there is no row. */
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
  readonly signature: Signature
  readonly size: number
  readonly probe: unknown
  readonly installed_at: number
}

/** A module of which nothing is known but what it is called. */
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
    pins: new Map(),
    current: null,
    versions: [],
    created_at: 0,
    updated_at: 0,
  }
}

/** A built-in of which no row says anything. */
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
