import type { z } from 'zod'
import type { Approvers } from '../../../contract/rule-conditions.ts'
import type { AuditReads, Rule } from '../../../contract/rules.ts'
import type { Effect } from '../../../contract/route.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { PolicyTool } from './policy-tool.ts'
import { covers, type PolicySubject, readSubject, writeSubject } from './policy-subject.ts'
import { type CompiledRule, isStale, rulesAbout, rulesOn, rulesSomewhere } from './compiled-rules.ts'
import { hostSteps } from './host-steps.ts'
import { procedureSteps, withoutAsking } from './procedure-steps.ts'
import type { Question, Step } from './question.ts'
import { whoDecides } from './who-decides.ts'
import { possibleStep, ruleStep } from './rule-steps.ts'

const RULE_LIMIT = 1000
/** Maximum characters of a call's arguments as JSON; more than anyone reads before approving. */
export const ARGUMENTS_LIMIT = 256 * 1024

export interface PolicyRole {
  readonly role_id: string
  readonly name: string
  /** Makes its users administrators. */
  readonly admin: boolean
  readonly rules: readonly z.infer<typeof Rule>[]
  /** Those of the role `everybody`, which bind this one, too; they ask or deny. */
  readonly common?: readonly z.infer<typeof Rule>[]
  /** It is that role. */
  readonly everybody?: boolean
  /** role_id of the administrators, who decide where nothing else is said. */
  readonly administrators?: string
  /** How the audit log keeps its users' calls that only read. */
  readonly audit_reads: AuditReads
}
export interface Answer {
  readonly effect: Effect
  /** One sentence naming what decided. */
  readonly reason: Sentence
  /** Changes whenever what led to the decision changes; equal input gives equal text. */
  readonly basis: string
  /** Who must agree to what asks; empty: the person who asks does. */
  readonly needs: readonly Approvers[]
  readonly trace: readonly Step[]
  /** A rule asks before every single call. */
  readonly every_time: boolean
  /** A rule denies it, not merely that there is none. */
  readonly ruled_out: boolean
}

export const SEVERITY: Record<Effect, number> = { allow: 0, ask: 1, deny: 2 }

/**
 * The policy engine: what a role, narrowed by a token's scope, may do (contract §3). Pure. Every step is recorded, and
 * the effect is the strictest of the steps that matched, so the trace and the verdict can never disagree: neither order
 * nor specificity ever makes a rule win.
 */
export function decide(role: PolicyRole, scope: readonly string[] | null, question: Question): Answer {
  const about = aboutOf(question)
  const subject = writeSubject(about)
  const host = question.kind === 'tool' ? question.host : undefined
  const there = host === undefined ? null : rulesOn(role, about, host)
  const stepOf = (rule: CompiledRule) => ruleStep(role.name, rule, question)
  const rules = [...rulesAbout(role, about), ...(there?.tool ?? [])].map(stepOf)
  const onHost = (there?.host ?? []).map(stepOf)
  const inProcedure =
    question.kind === 'tool' && question.procedure ? procedureSteps(role, scope, question.procedure) : []
  const covered = inProcedure.some(({ covers }) => covers)
  const kept = covered ? rules.map(withoutAsking) : rules
  const ruled = covered || rules.some(({ matched, sure }) => matched && sure)
  const first = [
    scopeStep(scope, about),
    ...kept,
    ...inProcedure,
    defaultStep(role, question, subject, ruled),
    ...(host === undefined ? [] : hostSteps(role, host, onHost)),
    ...limitSteps(role, question),
  ]
  const trace = [...first, ...untrustedSteps(first, question)]
  const deciding = trace.filter(decides)
  const verdict = strictest(deciding)
  return {
    effect: verdict.effect!,
    reason: verdict.note,
    basis: hashOf({
      role_id: role.role_id,
      subject,
      steps: deciding.map(({ step, subject: about, effect, by }) => [step, about, effect, ...(by ? [by] : [])]),
    }),
    needs:
      question.kind === 'tool' && asksByItself(first, verdict) && !(covered && onlyInProcedure(first))
        ? whoDecides(role, question.tool, [...kept, ...onHost])
        : [],
    trace,
    every_time: deciding.some((step) => step.every_time === true),
    ruled_out: deciding.some(({ step, effect }) => step === 'rule' && effect === 'deny'),
  }
}

/**
 * The mildest that a tool's calls can come to, whatever their arguments: a rule that denies some of them hides nothing.
 */
export function mildest(
  role: PolicyRole,
  scope: readonly string[] | null,
  tool: PolicyTool,
): Pick<Answer, 'effect' | 'reason'> {
  const question: Question = { kind: 'tool', tool, argumentsLength: 0 }
  const about = aboutOf(question)
  const rules = rulesAbout(role, about)
  const always = rules.filter(({ conditional }) => !conditional).map((rule) => ruleStep(role.name, rule, question))
  const others = [scopeStep(scope, about), ...always, ...limitSteps(role, question)]
  const ruled = always.some(({ sure }) => sure)
  // What a rule says of one machine replaces the default there.
  const somewhere = rulesSomewhere(role, { module: tool.module, tool: tool.name })
  const milder = [
    ...rules.filter((rule) => isMilder(rule, tool)),
    ...somewhere.filter((rule) => !rule.common && rule.effect !== 'deny' && !isStale(rule, tool)),
  ]
  const possible = ruled ? [] : milder.map((rule) => strictest([...others, possibleStep(role.name, rule)]))
  const usual = strictest([...others, defaultStep(role, question, writeSubject(about), ruled)])
  const { effect, note } = [usual, ...possible].reduce((a, b) => (SEVERITY[b.effect!] < SEVERITY[a.effect!] ? b : a))
  return { effect: effect!, reason: note }
}

/** A rule whose conditions, where they hold, may replace a stricter default. */
function isMilder(rule: CompiledRule, tool: PolicyTool): boolean {
  return rule.conditional && !rule.common && rule.effect !== 'deny' && !isStale(rule, tool)
}

/**
 * Whether it asks for another reason than what its conversation has read: whoever may run a call unasked decides whether
 * they meant it.
 */
function asksByItself(steps: readonly Step[], verdict: Step): boolean {
  return verdict.effect === 'ask' && strictest(steps).effect === 'ask'
}

/** It asks whoever runs a reviewed procedure, who then decides: nothing else asks. */
function onlyInProcedure(steps: readonly Step[]): boolean {
  const asking = steps.filter((step) => decides(step) && step.effect === 'ask')
  return asking.every(({ step }) => step === 'procedure' || step === 'confirm')
}

function decides(step: Step): boolean {
  return step.matched && step.effect !== null
}

/** The step that decides: the first of the strictest. */
export function strictest(steps: readonly Step[]): Step {
  return steps.filter(decides).reduce((a, b) => (SEVERITY[b.effect!] > SEVERITY[a.effect!] ? b : a))
}

export function subjectOf(question: Question): string {
  return writeSubject(aboutOf(question))
}

function aboutOf(question: Question): PolicySubject {
  if (question.kind === 'permission') return { kind: 'permission', permission: question.permission }
  if (question.kind === 'procedure') return { kind: 'procedure', procedure_id: question.procedure_id }
  return { kind: 'tool', module: question.tool.module, tool: question.tool.name }
}

function scopeStep(scope: readonly string[] | null, about: PolicySubject): Step {
  if (scope === null)
    return { step: 'scope', matched: false, subject: null, effect: null, note: say`No access token narrows this.` }
  const subject = writeSubject(about)
  const outside = !scope.some((pattern) => covers(readSubject(pattern), about))
  const note = outside ? say`The access token does not cover ${subject}.` : say`The access token covers ${subject}.`
  return { step: 'scope', matched: outside, subject, effect: outside ? 'deny' : null, note }
}

function defaultStep(role: PolicyRole, question: Question, subject: string, ruled: boolean): Step {
  const step = { step: 'default', matched: !ruled, subject: null }
  if (ruled) return { ...step, effect: null, note: say`A rule decides, so the default does not apply.` }
  const { name } = role
  if (question.kind === 'procedure')
    return { ...step, effect: 'deny', note: say`Role “${name}” has no rule for ${subject}, so it may not run it.` }
  if (question.kind === 'permission' && question.permission === 'audit.read' && !role.admin)
    return {
      ...step,
      effect: 'deny',
      note: say`Role “${name}” has no rule for ${subject}; by default only administrators may read the audit log.`,
    }
  if (question.kind === 'permission' && question.permission === 'procedures.review' && !role.admin)
    return {
      ...step,
      effect: 'deny',
      note: say`Role “${name}” has no rule for ${subject}; by default only administrators review procedures.`,
    }
  if (question.kind === 'permission')
    return { ...step, effect: 'allow', note: say`Role “${name}” has no rule for ${subject}; by default it is allowed.` }
  const { module, builtin, effect, reach } = question.tool
  if (builtin && reach === 'machine' && !role.admin) {
    const note = say`Role “${name}” has no rule for ${subject}, and ${module} reaches beyond a user’s own data, so it is denied. An administrator can allow its tools one by one.`
    return { ...step, effect: 'deny', note }
  }
  if (builtin && effect === 'read') {
    const note = say`Role “${name}” has no rule for ${subject}; it is built in and only reads, so it is allowed.`
    return { ...step, effect: 'allow', note }
  }
  const note = builtin
    ? say`Role “${name}” has no rule for ${subject}; it may change something, so it asks.`
    : say`Role “${name}” has no rule for ${subject}; what a module says about its own tools is only a claim, so it asks.`
  return { ...step, effect: 'ask', note }
}

const EFFECT_NOTE: Record<PolicyTool['effect'], (tool: string) => Sentence> = {
  read: (tool) => say`${tool} only reads.`,
  write: (tool) => say`${tool} changes something.`,
  destructive: (tool) => say`${tool} deletes or overwrites something.`,
  unknown: (tool) => say`It is unknown what ${tool} changes.`,
}

/**
 * In a conversation that holds what others may have written, their words may be behind a call: what may change something
 * and would run unasked asks. A verdict that asks anyway stays as it is, and so does its basis.
 */
function untrustedSteps(steps: readonly Step[], question: Question): Step[] {
  if (question.kind !== 'tool' || question.untrusted !== true || question.tool.effect === 'read') return []
  const deciding = steps.filter(decides)
  if (strictest(steps).effect !== 'allow') return []
  const matched = !deciding.some((step) => step.even_untrusted === true)
  const note = matched
    ? say`The conversation holds what others may have written, so what may change something asks.`
    : say`The conversation holds what others may have written; a rule allows it even so.`
  return [{ step: 'untrusted', matched, subject: null, effect: matched ? 'ask' : null, note }]
}

/** Whatever the engine does not trust itself to judge is never weaker than `ask`. */
function limitSteps(role: PolicyRole, question: Question): Step[] {
  const steps = [
    {
      step: 'rule_limit',
      matched: role.rules.length > RULE_LIMIT,
      note: say`Role “${role.name}” has ${role.rules.length} rules; the limit is ${RULE_LIMIT}.`,
    },
  ]
  if (question.kind === 'tool') {
    const { tool, argumentsLength } = question
    steps.push(
      {
        step: 'unknown_effect',
        matched: tool.effect === 'unknown',
        note: EFFECT_NOTE[tool.effect](`${tool.module}.${tool.name}`),
      },
      {
        step: 'definition_changed',
        matched: !tool.agreed,
        note: tool.agreed
          ? say`${tool.module}.${tool.name} is unchanged since it was agreed to.`
          : say`${tool.module}.${tool.name} is new or changed, and no administrator has agreed to it yet.`,
      },
      {
        step: 'arguments_limit',
        matched: argumentsLength > ARGUMENTS_LIMIT,
        note: say`The arguments have ${argumentsLength} characters; the limit is ${ARGUMENTS_LIMIT}.`,
      },
    )
  }
  return steps.map((step) => ({ ...step, subject: null, effect: step.matched ? 'ask' : null }))
}
