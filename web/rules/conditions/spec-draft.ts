import type { Condition, RuleSpec } from '../../../contract/rule-conditions.ts'
import type { Effect } from '../tool-rules.ts'
import { type Rule, sameRule } from '../same-rule.ts'
import { type ConditionDraft, fromCondition, toCondition } from './condition-draft.ts'

export type Arguments = Readonly<Record<string, unknown>>
export type Examples = NonNullable<RuleSpec['examples']>

/** A rule with conditions while it is edited. */
export interface SpecDraft {
  readonly effect: Effect
  readonly note: string
  readonly when: readonly ConditionDraft[]
  /** Groups; of rules that ask or deny. */
  readonly unless: readonly (readonly ConditionDraft[])[]
  /** Pointers; of rules that allow. */
  readonly free: readonly string[]
  /** Null, and for a rule that allows a kind without any: as they follow from the conditions. */
  readonly examples: Examples | null
  /** What else the rule says, as far as its effect can say it. */
  readonly rest: Omit<RuleSpec, 'note' | 'when' | 'unless' | 'free' | 'examples'>
}

/** What else rules with an effect can say. */
const REST: Record<Effect, readonly (keyof SpecDraft['rest'])[]> = {
  allow: ['even_untrusted'],
  ask: ['approvers', 'every_time'],
  deny: [],
}

const NO_EXAMPLES: Examples = { match: [], no_match: [] }

export const EMPTY_SPEC: SpecDraft = {
  effect: 'allow',
  note: '',
  when: [],
  unless: [],
  free: [],
  examples: null,
  rest: {},
}

export function fromRule({ subject: _subject, effect, note, when, unless, free, examples, ...rest }: Rule): SpecDraft {
  return {
    effect,
    note: note ?? '',
    when: (when ?? []).map(fromCondition),
    unless: (unless ?? []).map((group) => group.map(fromCondition)),
    free: free ?? [],
    examples: examples ?? null,
    rest,
  }
}

/**
 * The rule, or null while a condition is not filled in, or it says no more than its cell. `auto`: examples that follow from the conditions,
 * where none were chosen.
 */
export function toRule(subject: string, draft: SpecDraft, auto: (rule: Rule) => Examples): Rule | null {
  const { effect, note, free } = draft
  const rest = Object.fromEntries(
    Object.entries(draft.rest).filter(([key]) => (REST[effect] as readonly string[]).includes(key)),
  ) as SpecDraft['rest']
  const when = complete(draft.when)
  const unless = effect === 'allow' ? [] : draft.unless.filter((group) => group.length > 0).map(complete)
  const open = effect === 'allow' ? free : []
  if (when === null || unless.includes(null)) return null
  const conditional = when.length + unless.length + open.length > 0
  if (!conditional && Object.keys(rest).length === 0) return null
  const rule: Rule = {
    subject,
    effect,
    ...(note.trim() === '' ? {} : { note: note.trim() }),
    ...(when.length === 0 ? {} : { when }),
    ...(unless.length === 0 ? {} : { unless: unless as Condition[][] }),
    ...(open.length === 0 ? {} : { free: [...open] }),
    ...rest,
  }
  if (!conditional || (draft.examples === null && effect !== 'allow')) return rule
  const made = effect === 'allow' ? auto(rule) : NO_EXAMPLES
  const { match, no_match } = draft.examples === null ? made : withMissing(draft.examples, made)
  return match.length + no_match.length === 0 ? rule : { ...rule, examples: { match, no_match } }
}

/** A rule that allows needs one of each kind: what was not chosen follows from the conditions. */
function withMissing({ match, no_match }: Examples, made: Examples): Examples {
  return { match: match.length === 0 ? made.match : match, no_match: no_match.length === 0 ? made.no_match : no_match }
}

function complete(drafts: readonly ConditionDraft[]): Condition[] | null {
  const list = drafts.map(toCondition)
  return list.includes(null) ? null : (list as Condition[])
}

/** Whether the form shows everything that a rule says: one made elsewhere may mix what it keeps apart. */
export function isEditable(rule: Rule): boolean {
  const back = toRule(rule.subject, fromRule(rule), () => ({ match: [], no_match: [] }))
  return !rule.subject.endsWith('.*') && back !== null && sameRule(back, rule)
}
