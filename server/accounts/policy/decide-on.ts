import type { JudgedHost } from '../../chat/ports/hosts.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { say } from '../../kernel/sentence.ts'
import { rulesOn } from './compiled-rules.ts'
import { hostSteps } from './host-steps.ts'
import { type Answer, decide, type PolicyRole, SEVERITY } from './permissions.ts'
import type { Question } from './question.ts'
import { ruleStep } from './rule-steps.ts'

type ToolQuestion = Extract<Question, { kind: 'tool' }>

/**
 * What a call comes to that is about machines: judged on each, the strictest verdict counts, and everybody must agree who
 * must on any of them. Without machines, or on one, it is the one verdict. Pure.
 */
export function decideOn(
  role: PolicyRole,
  scope: readonly string[] | null,
  question: ToolQuestion,
  hosts: readonly JudgedHost[] | undefined,
): Answer {
  const [only, ...others] = hosts ?? []
  if (only === undefined || others.length === 0)
    return decide(role, scope, only === undefined ? question : { ...question, host: only })
  // Machines that are judged by the same rules come to the same.
  const answers = hosts!.map((host) => ({ host, answer: decide(role, scope, { ...question, host }) }))
  const strict = answers.reduce((a, b) => (SEVERITY[b.answer.effect] > SEVERITY[a.answer.effect] ? b : a))
  const bases = [...new Set(answers.map(({ answer }) => answer.basis))].toSorted()
  const needs = new Map<string, number>()
  for (const { role_id, count } of answers.flatMap(({ answer }) => answer.needs))
    needs.set(role_id, Math.max(count, needs.get(role_id) ?? 0))
  return {
    ...strict.answer,
    reason: bases.length === 1 ? strict.answer.reason : say`On “${strict.host.name}”: ${strict.answer.reason}`,
    basis: bases.length === 1 ? bases[0]! : hashOf(bases),
    needs: [...needs].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([role_id, count]) => ({ role_id, count })),
    every_time: answers.some(({ answer }) => answer.every_time),
    ruled_out: answers.some(({ answer }) => answer.ruled_out),
  }
}

/** Whether calls may be about a machine at all, whatever the tool. */
export function mayUseHost(role: PolicyRole, host: JudgedHost): boolean {
  const { host: rules } = rulesOn(role, { kind: 'host', on: '' }, host)
  const question: Question = { kind: 'permission', permission: 'codex.use' }
  const steps = rules.map((rule) => ruleStep(role.name, rule, question))
  return hostSteps(role, host, steps).every(({ matched, effect }) => !matched || effect !== 'deny')
}
