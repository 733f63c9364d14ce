import { type Role, type RuleChoice, ruleOf, withRule } from './tool-rules.ts'

/** One unsaved choice in the grid. */
export interface RuleChange {
  readonly role_id: string
  readonly subject: string
  readonly choice: RuleChoice
}

/** A rule that somebody else has changed since the draft was begun. */
export interface ForeignChange {
  readonly role: Role
  readonly subject: string
  readonly from: RuleChoice
  readonly to: RuleChoice
}

/**
 * The roles as they will be. Changes are kept separately and applied on top of the server's data: if someone else has
 * changed the same role in the meantime, both changes are included.
 */
export function withChanges(roles: readonly Role[], changes: readonly RuleChange[]): readonly Role[] {
  return roles.map((role) => {
    const own = changes.filter(({ role_id }) => role_id === role.role_id)
    if (own.length === 0) return role
    return { ...role, rules: own.reduce((rules, { subject, choice }) => withRule(rules, subject, choice), role.rules) }
  })
}

/** The roles, each with the rules that bind everybody. */
export function withCommon(roles: readonly Role[]): readonly Role[] {
  const common = roles.find(({ everybody }) => everybody)?.rules ?? []
  return common.length === 0 ? roles : roles.map((role) => (role.everybody ? role : { ...role, common }))
}

/** The changes that differ from what is saved: the last one per role and subject. */
export function openChanges(roles: readonly Role[], changes: readonly RuleChange[]): readonly RuleChange[] {
  const last = new Map(changes.map((change) => [`${change.role_id} ${change.subject}`, change]))
  return [...last.values()].filter(({ role_id, subject, choice }) => {
    const role = roles.find((one) => one.role_id === role_id)
    return role !== undefined && ruleOf(role.rules, subject) !== choice
  })
}

/** The rules that differ between two states of the roles that both have. */
export function foreignChanges(before: readonly Role[], now: readonly Role[]): readonly ForeignChange[] {
  return now.flatMap((role) => {
    const old = before.find(({ role_id }) => role_id === role.role_id)
    if (old === undefined || old.revision === role.revision) return []
    return [...new Set([...old.rules, ...role.rules].map(({ subject }) => subject))]
      .map((subject) => ({ role, subject, from: ruleOf(old.rules, subject), to: ruleOf(role.rules, subject) }))
      .filter(({ from, to }) => from !== to)
  })
}
