import type { z } from 'zod'
import type { Rule, TraceStep } from '../../contract/accounts.ts'
import type { Effect, Permission } from '../../contract/route.ts'
import { hashOf } from '../kernel/canonical.ts'
import type { PolicyTool } from './accounts-context.ts'

const RULE_LIMIT = 1000
/** Characters of a call's arguments as JSON; more than anybody reads before approving. */
export const ARGUMENTS_LIMIT = 256 * 1024

export interface PolicyRole {
  readonly role_id: string
  readonly name: string
  readonly rules: readonly z.infer<typeof Rule>[]
}
export type Question =
  | { readonly kind: 'permission'; readonly permission: Permission }
  | { readonly kind: 'tool'; readonly tool: PolicyTool; readonly argumentsLength: number }
export interface Answer {
  readonly effect: Effect
  /** One sentence that names what decided. */
  readonly reason: string
  /** Changes whenever what decided changes; equal input gives equal text. */
  readonly basis: string
  readonly trace: readonly z.infer<typeof TraceStep>[]
}

const SEVERITY: Record<Effect, number> = { allow: 0, ask: 1, deny: 2 }

/**
 * The policy engine: what a role, narrowed by a token's scope, may do (contract §3). Pure. Every step is written down, and
 * the effect is the strictest of the steps that matched, so the trace cannot tell another story than the verdict:
 * neither order nor being more specific ever makes a rule win.
 */
export function decide(role: PolicyRole, scope: readonly string[] | null, question: Question): Answer {
  const subject = subjectOf(question)
  const rules = role.rules
    .filter((rule) => covers(rule.subject, subject))
    .toSorted((a, b) => SEVERITY[b.effect] - SEVERITY[a.effect] || (a.subject < b.subject ? -1 : 1))
  const trace = [
    scopeStep(scope, subject),
    ...rules.map((rule) => ruleStep(role, rule)),
    defaultStep(role, question, subject, rules.length > 0),
    ...limitSteps(role, question),
  ]
  const deciding = trace.filter((step) => step.matched && step.effect !== null)
  const verdict = deciding.reduce((a, b) => (SEVERITY[b.effect!] > SEVERITY[a.effect!] ? b : a))
  return {
    effect: verdict.effect!,
    reason: verdict.note,
    basis: hashOf({
      role_id: role.role_id,
      subject,
      steps: deciding.map(({ step, subject: by, effect }) => [step, by, effect]),
    }),
    trace,
  }
}

export function subjectOf(question: Question): string {
  return question.kind === 'permission' ? question.permission : `tool:${question.tool.module}.${question.tool.name}`
}

/** Whether a rule's or a scope's subject covers this one: the same, or `tool:<module>.*`. */
function covers(pattern: string, subject: string): boolean {
  return (
    pattern === subject ||
    (pattern.startsWith('tool:') && pattern.endsWith('.*') && subject.startsWith(pattern.slice(0, -1)))
  )
}

function scopeStep(scope: readonly string[] | null, subject: string): z.infer<typeof TraceStep> {
  if (scope === null)
    return { step: 'scope', matched: false, subject: null, effect: null, note: 'No access token narrows this.' }
  const outside = !scope.some((pattern) => covers(pattern, subject))
  const note = outside ? `The access token does not cover ${subject}.` : `The access token covers ${subject}.`
  return { step: 'scope', matched: outside, subject, effect: outside ? 'deny' : null, note }
}

function ruleStep(role: PolicyRole, { subject, effect }: z.infer<typeof Rule>): z.infer<typeof TraceStep> {
  return {
    step: 'rule',
    matched: true,
    subject,
    effect,
    note: `Role “${role.name}” has the rule “${subject}: ${effect}”.`,
  }
}

function defaultStep(role: PolicyRole, question: Question, subject: string, ruled: boolean): z.infer<typeof TraceStep> {
  const step = { step: 'default', matched: !ruled, subject: null }
  if (ruled) return { ...step, effect: null, note: 'A rule decides, so the default does not count.' }
  const none = `Role “${role.name}” has no rule for ${subject}`
  if (question.kind === 'permission') return { ...step, effect: 'allow', note: `${none}; by default it is allowed.` }
  if (question.tool.builtin && question.tool.effect === 'read') {
    return { ...step, effect: 'allow', note: `${none}; it is built in and only reads, so it is allowed.` }
  }
  const why = question.tool.builtin ? 'it may change something' : 'what a module says of its own tools is a claim'
  return { ...step, effect: 'ask', note: `${none}; ${why}, so it asks.` }
}

/** What the engine does not trust itself to judge is never weaker than `ask`. */
function limitSteps(role: PolicyRole, question: Question): z.infer<typeof TraceStep>[] {
  const steps = [
    {
      step: 'rule_limit',
      matched: role.rules.length > RULE_LIMIT,
      note: `Role “${role.name}” has ${role.rules.length} rules of at most ${RULE_LIMIT}.`,
    },
  ]
  if (question.kind === 'tool') {
    const { tool, argumentsLength } = question
    steps.push(
      {
        step: 'unknown_effect',
        matched: tool.effect === 'unknown',
        note: `The effect of ${tool.module}.${tool.name} is ${tool.effect}.`,
      },
      {
        step: 'definition_changed',
        matched: !tool.agreed,
        note: `${tool.module}.${tool.name} is new or changed, and no administrator has agreed to it yet.`,
      },
      {
        step: 'arguments_limit',
        matched: argumentsLength > ARGUMENTS_LIMIT,
        note: `The arguments have ${argumentsLength} characters of at most ${ARGUMENTS_LIMIT}.`,
      },
    )
  }
  return steps.map((step) => ({ ...step, subject: null, effect: step.matched ? 'ask' : null }))
}
