import type { Approvers } from '../../../contract/rule-conditions.ts'
import type { PolicyTool } from './policy-tool.ts'
import type { RuleStep } from './rule-steps.ts'

/**
 * Who must agree to a call that asks: the largest number of each role that any rule says which applies. Unless a rule of
 * the role surely applies and says who decides, an administrator must agree to what may change something beyond the
 * person's own data, where the role does not administer. Sorted by role; empty: the person who asks decides.
 */
export function whoDecides(
  role: { readonly admin: boolean; readonly administrators?: string },
  tool: PolicyTool,
  rules: readonly RuleStep[],
): Approvers[] {
  const asking = rules.filter(({ matched, effect }) => matched && effect === 'ask')
  const most = new Map<string, number>()
  for (const { role_id, count } of asking.flatMap(({ approvers }) => approvers ?? []))
    most.set(role_id, Math.max(count, most.get(role_id) ?? 0))
  const said = asking.some(({ sure, approvers }) => sure && approvers !== undefined)
  if (!said && !role.admin && !isOwn(tool)) {
    const administrators = role.administrators ?? ''
    most.set(administrators, Math.max(1, most.get(administrators) ?? 0))
  }
  return [...most].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([role_id, count]) => ({ role_id, count }))
}

/** What a module that does not ship with Reeve says about its own tools is only a claim. */
function isOwn({ builtin, reach, effect }: PolicyTool): boolean {
  return reach === 'own' || (builtin && effect === 'read')
}
