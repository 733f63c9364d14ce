import type { RunTable } from '../../db/rows/chat-tables.ts'
import type { Policy, UserPolicy } from '../ports/policy.ts'

/** The policy of whoever a run is for, within what their token allows, as it is now. Null when they may do nothing. */
export function runPolicy(
  policy: Pick<Policy, 'forUser'>,
  { user_id, scope, started_by }: Pick<RunTable, 'user_id' | 'scope' | 'started_by'>,
): Promise<UserPolicy | null> {
  return policy.forUser(user_id, scope === null ? null : (JSON.parse(scope) as string[]), started_by)
}

/** Whether it may go on at all. */
export function mayRun(policy: UserPolicy | null): policy is UserPolicy {
  return policy !== null && policy.permission('codex.use').effect !== 'deny'
}
