import type { Transport } from '@modelcontextprotocol/client'
import type { Reach, SettingValue } from '../../../contract/modules.ts'

/** The members of an MCP Bundle manifest that the host reads. */
export interface ModuleManifest {
  /** Slug: lower-case letters, digits and hyphens, at most 64. */
  readonly name: string
  readonly display_name: string
  readonly version: string
  readonly description: string
  /** Settings as MCP Bundles declare them, by key. */
  readonly user_config?: Readonly<Record<string, unknown>>
  /** Extensions to the format, under `dev.reeve`. */
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** Values of a module's settings by key, secrets included; keys without a value are left out. */
export type BuiltinSettings = Readonly<Record<string, SettingValue>>

/** A module that ships with Reeve: an MCP server like any other, but in this process. */
export interface BuiltinModule {
  readonly manifest: ModuleManifest
  /** A folder with a file for each language (`de.json`): its texts by the English ones. It ends with a slash. */
  readonly locales?: URL
  /** What its tools can reach: without a rule, tools of reach `machine` are denied to non-administrator roles. */
  readonly reach: Reach
  /** Creates a server that is not connected yet. Loads what it needs only now, so that startup isn't delayed. */
  createServer(settings: BuiltinSettings): Promise<BuiltinServer>
}

export interface BuiltinServer {
  connect(transport: Transport): Promise<void>
  close(): Promise<void>
}
