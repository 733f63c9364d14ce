import type { ToolEffect } from '../chat/tools.ts'

/** The annotations of an MCP tool that say what it does to the world. */
export interface EffectAnnotations {
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
}

/**
 * What a tool says of its own effect. MCP's default for a tool that is not read-only is "destructive", so only an explicit
 * `false` makes it a plain write. Whether the claim is believed is the policy's matter.
 */
export function toolEffect(annotations: EffectAnnotations | undefined): ToolEffect {
  if (annotations === undefined) return 'unknown'
  if (annotations.readOnlyHint === true) return 'read'
  if (annotations.readOnlyHint === undefined && annotations.destructiveHint === undefined) return 'unknown'
  return annotations.destructiveHint === false ? 'write' : 'destructive'
}
