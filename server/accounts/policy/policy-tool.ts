import type { Reach } from '../../../contract/modules.ts'

/** The properties of a tool that the policy considers. */
export interface PolicyTool {
  readonly module: string
  readonly name: string
  readonly effect: 'read' | 'write' | 'destructive' | 'unknown'
  /** Ships with Reeve, so its claims about its own effects are trusted. */
  readonly builtin: boolean
  readonly reach: Reach
  /** Its definition is the one an administrator agreed to. */
  readonly agreed: boolean
  /** What rules with conditions depend on; without it, none of them allows anything. */
  readonly definition?: ToolDefinition
}

export interface ToolDefinition {
  readonly definition_hash: string
  readonly input_schema: Record<string, unknown>
  /** It opens paths as they really are and refuses links. */
  readonly real_paths: boolean
  /** Arguments as they would be sent: with the schema's defaults, as JSON. */
  readonly fill: (input: Record<string, unknown>) => Record<string, unknown>
}

/** A tool that is not running is judged like one with an unknown effect. */
export function orUnknown(found: PolicyTool | undefined, module: string, name: string): PolicyTool {
  return found ?? { module, name, effect: 'unknown', builtin: false, reach: 'machine', agreed: false }
}
