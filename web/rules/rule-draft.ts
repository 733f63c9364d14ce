import { type Rule, ruleKey, sameRule } from './same-rule.ts'
import { isDetailed, type Role, type RuleChoice, ruleOf, withRule } from './tool-rules.ts'

/** One unsaved choice in the grid. */
export interface ChoiceChange {
  readonly role_id: string
  readonly subject: string
  readonly choice: RuleChoice
}
/** One unsaved rule with conditions: made, changed (from `was` to `rule`) or deleted. */
export interface ConditionChange {
  readonly role_id: string
  readonly subject: string
  /** Tells it apart from the others, however often it is changed. */
  readonly place: string
  /** As it is saved; null for a new one. */
  readonly was: Rule | null
  /** Null: deleted. */
  readonly rule: Rule | null
}
export type RuleChange = ChoiceChange | ConditionChange

/** A rule that somebody else has changed since the draft was begun. */
export interface ForeignChange {
  readonly role: Role
  readonly subject: string
  readonly from: RuleChoice
  readonly to: RuleChoice
}

/** A rule with conditions as it is saved and as it is drafted; null where there is none. */
export interface DraftedRule {
  readonly place: string
  readonly was: Rule | null
  readonly rule: Rule | null
}

/** Two changes with the same key are about the same thing: the later one counts. */
export function changeKey(change: RuleChange): string {
  const about = `${change.role_id} ${change.subject}`
  return 'place' in change ? `${about} ${change.place}` : about
}

/**
 * The roles as they will be. Changes are kept separately and applied on top of the server's data: if someone else has
 * changed the same role in the meantime, both changes are included.
 */
export function withChanges(roles: readonly Role[], changes: readonly RuleChange[]): readonly Role[] {
  return roles.map((role) => {
    const own = lastOf(changes).filter(({ role_id }) => role_id === role.role_id)
    return own.length === 0 ? role : { ...role, rules: own.reduce(applied, role.rules) }
  })
}

function applied(rules: Role['rules'], change: RuleChange): Role['rules'] {
  if (!('place' in change)) return withRule(rules, change.subject, change.choice)
  const { was, rule } = change
  const others = rules.filter((one) => !sameRule(one, was) && !sameRule(one, rule))
  return rule === null ? others : [...others, rule]
}

function lastOf(changes: readonly RuleChange[]): readonly RuleChange[] {
  return [...new Map(changes.map((change) => [changeKey(change), change])).values()]
}

/** The roles, each with the rules that bind everybody. */
export function withCommon(roles: readonly Role[]): readonly Role[] {
  const common = roles.find(({ everybody }) => everybody)?.rules ?? []
  return common.length === 0 ? roles : roles.map((role) => (role.everybody ? role : { ...role, common }))
}

/** The changes that differ from what is saved: the last one of each. */
export function openChanges(roles: readonly Role[], changes: readonly RuleChange[]): readonly RuleChange[] {
  return lastOf(changes).filter((change) => {
    const role = roles.find((one) => one.role_id === change.role_id)
    if (role === undefined) return false
    if (!('place' in change)) return ruleOf(role.rules, change.subject) !== change.choice
    const { was, rule } = change
    const saved = (one: Rule): boolean => role.rules.some((other) => sameRule(other, one))
    return rule === null ? was !== null && saved(was) : !saved(rule)
  })
}

/** A role's rules with conditions for a subject: the saved ones, changed or deleted or not, then the new ones. */
export function draftedRules(role: Role, subject: string, open: readonly RuleChange[]): readonly DraftedRule[] {
  const changes = open.filter(
    (change): change is ConditionChange =>
      'place' in change && change.role_id === role.role_id && change.subject === subject,
  )
  const saved = role.rules
    .filter((rule) => rule.subject === subject && isDetailed(rule))
    .map((was) => {
      const change = changes.find((one) => sameRule(one.was, was))
      return { place: change?.place ?? ruleKey(was), was, rule: change === undefined ? was : change.rule }
    })
  return [...saved, ...changes.filter(({ place }) => !saved.some((one) => one.place === place))]
}

/** The rules that differ between two states of the roles that both have. */
export function foreignChanges(before: readonly Role[], now: readonly Role[]): readonly ForeignChange[] {
  return now.flatMap((role) => {
    const old = before.find(({ role_id }) => role_id === role.role_id)
    if (old === undefined || old.revision === role.revision) return []
    return [...new Set([...old.rules, ...role.rules].map(({ subject }) => subject))]
      .map((subject) => ({ role, subject, from: ruleOf(old.rules, subject), to: ruleOf(role.rules, subject) }))
      .filter(({ subject, from, to }) => from !== to || conditionsOf(old, subject) !== conditionsOf(role, subject))
  })
}

function conditionsOf(role: Role, subject: string): string {
  const rules = role.rules.filter((rule) => rule.subject === subject && isDetailed(rule))
  return rules.map(ruleKey).toSorted().join(' ')
}
