import { type Role, type RuleChoice, ruleOf, withRule } from '../../modules/tools/tool-rules.ts'

/** One unsaved choice in the matrix. */
export interface RuleChange {
  readonly role_id: string
  readonly subject: string
  readonly choice: RuleChoice
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

/** The changes that differ from what is saved: the last one per role and subject. */
export function openChanges(roles: readonly Role[], changes: readonly RuleChange[]): readonly RuleChange[] {
  const last = new Map(changes.map((change) => [`${change.role_id} ${change.subject}`, change]))
  return [...last.values()].filter(({ role_id, subject, choice }) => {
    const role = roles.find((one) => one.role_id === role_id)
    return role !== undefined && ruleOf(role.rules, subject) !== choice
  })
}
