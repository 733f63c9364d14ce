import { type Role, type RuleChoice, ruleOf, withRule } from '../../modules/tool-rules.ts'

/** One choice in the matrix that is not saved yet. */
export interface RuleChange {
  readonly role_id: string
  readonly subject: string
  readonly choice: RuleChoice
}

/**
 * The roles as they will be. Changes are kept as such and laid over what the server has: when somebody else has changed the
 * same role meanwhile, both changes are there.
 */
export function withChanges(roles: readonly Role[], changes: readonly RuleChange[]): readonly Role[] {
  return roles.map((role) => {
    const own = changes.filter(({ role_id }) => role_id === role.role_id)
    if (own.length === 0) return role
    return { ...role, rules: own.reduce((rules, { subject, choice }) => withRule(rules, subject, choice), role.rules) }
  })
}

/** The changes that make a difference to what is saved: per role and subject the last one, if it says something else. */
export function openChanges(roles: readonly Role[], changes: readonly RuleChange[]): readonly RuleChange[] {
  const last = new Map(changes.map((change) => [`${change.role_id} ${change.subject}`, change]))
  return [...last.values()].filter(({ role_id, subject, choice }) => {
    const role = roles.find((one) => one.role_id === role_id)
    return role !== undefined && ruleOf(role.rules, subject) !== choice
  })
}
