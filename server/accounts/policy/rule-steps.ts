import type { Effect } from '../../../contract/route.ts'
import type { Approvers } from '../../../contract/rule-conditions.ts'
import { inARow } from '../../kernel/joined-sentences.ts'
import { quoted, say, type Sentence } from '../../kernel/sentence.ts'
import { applies, type CompiledRule, isStale, judgeRule } from './compiled-rules.ts'
import type { Finding } from './conditions/finding.ts'
import type { Question, Step } from './question.ts'

/** Begins `by` of a rule that binds everybody. */
export const COMMON = 'everybody '

/** A rule as a step of the trace. */
export interface RuleStep extends Step {
  readonly step: 'rule'
  /** It surely applies, so the default does not. What merely cannot be told never replaces a stricter default. */
  readonly sure: boolean
  /** It binds everybody. */
  readonly common: boolean
  /** Who decides, if the rule says so. */
  readonly approvers?: readonly Approvers[] | undefined
}

/** What a rule says about a question. */
export function ruleStep(role: string, rule: CompiledRule, question: Question): RuleStep {
  if (!rule.conditional) return step(role, rule, { matched: true, sure: true }, [])
  const { definition, args } =
    question.kind === 'tool' ? { definition: question.tool.definition, args: question.args ?? null } : { args: null }
  const outcome = judgeRule(rule, definition, args)
  if (question.kind === 'tool' && isStale(rule, question.tool))
    return step(role, rule, { matched: false, sure: false }, outcome.findings, [STALE])
  const how = { matched: applies(rule.effect, outcome), sure: outcome.holds === 'true' }
  return step(role, rule, how, outcome.findings, [HOLDS[outcome.holds]])
}

/** The rule as if its conditions held. */
export function possibleStep(role: string, rule: CompiledRule): RuleStep {
  return step(role, rule, { matched: true, sure: true }, [])
}

const STALE = say`Its tool is not the one that it was made for, so it allows nothing until it is saved anew.`
const HOLDS = {
  true: say`Its conditions hold.`,
  false: say`Its conditions do not hold.`,
  unknown: say`Whether its conditions hold cannot be told.`,
}

function step(
  role: string,
  rule: CompiledRule,
  { matched, sure }: Pick<RuleStep, 'matched' | 'sure'>,
  findings: readonly Finding[],
  more: readonly Sentence[] = [],
): RuleStep {
  const { subject, effect, common, spec, spec_hash, conditional } = rule
  return {
    step: 'rule',
    matched,
    sure: sure && !common,
    common,
    subject,
    effect,
    note: inARow([
      whose(role, subject, effect, common),
      ...more,
      ...(spec.note === undefined ? [] : [quoted(spec.note)]),
    ]),
    approvers: spec.approvers,
    by: common ? COMMON + spec_hash : spec_hash,
    ...(spec.every_time ? { every_time: true } : {}),
    ...(spec.even_untrusted ? { even_untrusted: true } : {}),
    ...(conditional ? { conditions: findings } : {}),
  }
}

function whose(role: string, subject: string, effect: Effect, common: boolean): Sentence {
  if (common) return say`For everybody there is the rule “${subject}: ${effect}”.`
  return say`Role “${role}” has the rule “${subject}: ${effect}”.`
}
