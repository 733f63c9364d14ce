import { useMemo } from 'react'
import { toolParts, useToolSchema } from '../../modules/tools/use-tool-schema.ts'
import type { Rule } from '../same-rule.ts'
import { ruleSubject } from '../tool-rules.ts'
import { examplesOf } from './example-of.ts'
import { type SpecDraft, toRule } from './spec-draft.ts'
import { argumentsOf, type ToolArgument } from './tool-arguments.ts'

/** What the form is about. */
export interface RuleFormState {
  readonly role_id: string
  /** `<module>.<tool>`, as typed or chosen. */
  readonly tool: string
  readonly spec: SpecDraft
}

/** What follows from the form: the tool's schema, and the rule as far as it is complete. */
export interface RuleInForm {
  readonly subject: string
  readonly schema: Readonly<Record<string, unknown>> | null
  readonly known: readonly ToolArgument[]
  readonly rule: Rule | null
}

/** The tool's arguments, and the rule that the form makes. */
export function useRuleInForm({ tool, spec }: RuleFormState): RuleInForm {
  const schema = useToolSchema(tool)
  const { module, name } = toolParts(tool)
  return useMemo(() => {
    const known = schema === null ? [] : argumentsOf(schema)
    const subject = ruleSubject(module, name)
    const rule = schema === null ? null : toRule(subject, spec, (made) => examplesOf(made, known))
    return { subject, schema, known, rule }
  }, [schema, spec, module, name])
}
