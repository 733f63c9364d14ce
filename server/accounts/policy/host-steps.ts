import { say } from '../../kernel/sentence.ts'
import type { JudgedHost } from '../../chat/ports/hosts.ts'
import type { Step } from './question.ts'
import type { RuleStep } from './rule-steps.ts'

/**
 * What the rules about a machine say of it, and what holds without one: everybody uses the machine that Reeve runs on, and
 * administrators all of them. A rule about the machine never frees a tool: that is decided by the tool's own.
 */
export function hostSteps(
  role: { readonly name: string; readonly admin: boolean },
  { name, local }: JudgedHost,
  rules: readonly RuleStep[],
): Step[] {
  if (local || role.admin || rules.some(({ matched, sure }) => matched && sure)) return [...rules]
  const note = say`Role “${role.name}” has no rule for the machine “${name}”; by default only administrators use others than the one that Reeve runs on.`
  return [...rules, { step: 'host', matched: true, subject: `host:${name}`, effect: 'deny', note }]
}
