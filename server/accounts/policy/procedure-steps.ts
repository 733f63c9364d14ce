import { say } from '../../kernel/sentence.ts'
import type { ProcedureCall } from '../../chat/ports/procedures.ts'
import { type RuleSet, rulesAbout } from './compiled-rules.ts'
import { covers, readSubject, writeSubject } from './policy-subject.ts'
import type { Question, Step } from './question.ts'
import { type RuleStep, ruleStep } from './rule-steps.ts'

/** A step of the trace about the procedure that a call's run carries out. */
export interface ProcedureStep extends Step {
  /** It stands in place of the default and of rules of the role that ask. */
  readonly covers?: boolean
}

/**
 * What running a procedure means for one of its calls. A role that may run it may do the reviewed step, as long as nothing
 * but the default or a rule of its own that asks stands in the way; where it may not run it, none of its calls runs. A step
 * that is to be confirmed asks whoever may do it anyway, too.
 */
export function procedureSteps(
  role: RuleSet & { readonly name: string },
  scope: readonly string[] | null,
  { procedure_id, name, content_hash, reviewed, confirm }: ProcedureCall,
): ProcedureStep[] {
  const about = { kind: 'procedure' as const, procedure_id }
  const subject = writeSubject(about)
  const called = name === '' ? subject : `“${name}”`
  const question: Question = about
  const rules = rulesAbout(role, about).map((rule) => ruleStep(role.name, rule, question))
  const outside = scope !== null && !scope.some((pattern) => covers(readSubject(pattern), about))
  const allowed = rules.some(({ sure, effect }) => sure && effect !== 'deny') && !outside
  const denied = outside || !allowed || rules.some(({ matched, effect }) => matched && effect === 'deny')
  const asks = rules.some(({ matched, effect }) => matched && effect === 'ask')
  const step = { step: 'procedure', matched: true, subject, by: content_hash }
  if (denied) return [{ ...step, effect: 'deny', note: say`Role “${role.name}” may not run ${called}.` }]
  const cover: ProcedureStep = reviewed
    ? {
        ...step,
        effect: asks ? 'ask' : 'allow',
        covers: true,
        // Its arguments were reviewed: nothing that the conversation holds has written them.
        even_untrusted: true,
        note: asks
          ? say`It is a reviewed step of ${called}, which asks.`
          : say`It is a reviewed step of ${called}, which role “${role.name}” may run.`,
      }
    : { ...step, matched: false, effect: null, note: say`It is not what was reviewed of ${called}.` }
  if (!confirm) return [cover]
  const note = say`This step of ${called} is to be confirmed each time.`
  return [cover, { ...step, step: 'confirm', effect: 'ask', every_time: true, note }]
}

/** A rule that asks, unless it binds everybody or asks each time: the review has answered it. */
export function withoutAsking(step: RuleStep): RuleStep {
  const stays = step.effect !== 'ask' || step.common === true || step.every_time === true
  return stays ? step : { ...step, matched: false }
}
