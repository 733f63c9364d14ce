import type { Transport } from '@modelcontextprotocol/client'

/** The members of an MCP Bundle manifest that the host reads; a manifest has more. */
export interface ModuleManifest {
  /** Slug: lower-case letters, digits and hyphens, at most 64. */
  readonly name: string
  readonly display_name: string
  readonly version: string
  readonly description: string
}

/** A module that ships with Reeve: an MCP server like any other, only reached in this process. */
export interface BuiltinModule {
  readonly manifest: ModuleManifest
  /** Makes a server that is not connected yet. Loads what it needs only now, so that it costs the start nothing. */
  createServer(): Promise<{ connect(transport: Transport): Promise<void>; close(): Promise<void> }>
}
