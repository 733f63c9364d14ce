import type { z } from 'zod'
import { isConditional } from '../../../contract/rule-conditions.ts'
import type { Rule } from '../../../contract/rules.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { failedExample, specOf } from './compiled-rules.ts'
import { readSubject } from './policy-subject.ts'

/**
 * Positions of the rules that allow nothing any more because, with their tool's present definition, their examples do not
 * come out as they say. Of a tool that isn't running nothing can be said.
 */
export function staleRules(
  { findTool }: Pick<AccountsContext, 'findTool'>,
  rules: readonly z.infer<typeof Rule>[],
): number[] {
  return rules.flatMap((rule, i) => {
    const about = readSubject(rule.subject)
    if (rule.effect !== 'allow' || !isConditional(rule) || about.kind !== 'tool' || about.tool === null) return []
    const definition = findTool(about.module, about.tool)?.definition
    return definition === undefined || failedExample({ spec: specOf(rule), effect: rule.effect }, definition) === null
      ? []
      : [i]
  })
}
