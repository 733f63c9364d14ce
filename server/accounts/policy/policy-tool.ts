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
}
