import type { z } from 'zod'
import type { JudgedHost } from '../../chat/ports/hosts.ts'
import type { ProcedureCall } from '../../chat/ports/procedures.ts'
import type { Permission } from '../../../contract/route.ts'
import type { TraceStep } from '../../../contract/rules.ts'
import type { Sentence } from '../../kernel/sentence.ts'
import type { Finding } from './conditions/finding.ts'
import type { PolicyTool } from './policy-tool.ts'

/** What the policy engine is asked. */
export type Question =
  | { readonly kind: 'permission'; readonly permission: Permission }
  | { readonly kind: 'procedure'; readonly procedure_id: string }
  | {
      readonly kind: 'tool'
      readonly tool: PolicyTool
      readonly argumentsLength: number
      /** As they would be sent; without them, nothing about them can be told. */
      readonly args?: Record<string, unknown>
      /** The conversation holds what others may have written. */
      readonly untrusted?: boolean
      /** The machine that it works on; only of tools that work on machines. */
      readonly host?: JudgedHost
      /** Its run carries out a procedure. */
      readonly procedure?: ProcedureCall | undefined
    }

/** A step of the trace, not yet translated. */
export type Step = Omit<z.infer<typeof TraceStep>, 'note' | 'conditions'> & {
  readonly note: Sentence
  readonly conditions?: readonly Finding[]
  /** Which rule it is, of those with the same subject and effect; part of the basis. */
  readonly by?: string
  /** Of a rule: it says so. */
  readonly every_time?: boolean
  readonly even_untrusted?: boolean
}
