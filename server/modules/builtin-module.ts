import type { Transport } from '@modelcontextprotocol/client'
import type { SettingValue } from '../../contract/modules.ts'

/** The members of an MCP Bundle manifest that the host reads; a manifest has more. */
export interface ModuleManifest {
  /** Slug: lower-case letters, digits and hyphens, at most 64. */
  readonly name: string
  readonly display_name: string
  readonly version: string
  readonly description: string
  /** Settings as MCP Bundles declare them, by key. */
  readonly user_config?: Readonly<Record<string, unknown>>
  /** What the format has no place for, under `dev.reeve`. */
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** Values of a module's settings by key, secrets included; keys without a value are left out. */
export type BuiltinSettings = Readonly<Record<string, SettingValue>>

/** A module that ships with Reeve: an MCP server like any other, only reached in this process. */
export interface BuiltinModule {
  readonly manifest: ModuleManifest
  /** Makes a server that is not connected yet. Loads what it needs only now, so that it costs the start nothing. */
  createServer(settings: BuiltinSettings): Promise<BuiltinServer>
}

export interface BuiltinServer {
  connect(transport: Transport): Promise<void>
  close(): Promise<void>
}
