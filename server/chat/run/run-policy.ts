import type { RunTable } from '../../db/rows/chat-tables.ts'
import type { Reader } from '../../db/database.ts'
import type { Policy, UserPolicy } from '../ports/policy.ts'

type Ruled = Pick<RunTable, 'user_id' | 'scope' | 'started_by'>

/** The policy of whoever a run is for, within what their token allows, as it is now. Null when they may do nothing. */
export function runPolicy(
  policy: Pick<Policy, 'forUser'>,
  { user_id, scope, started_by }: Ruled,
): Promise<UserPolicy | null> {
  return policy.forUser(user_id, scope === null ? null : (JSON.parse(scope) as string[]), started_by)
}

/** The same for a run that is to go on: what an MCP client has begun does not outlive its access. */
export async function policyToGoOn(
  reader: Reader,
  policy: Pick<Policy, 'forUser'>,
  run: Ruled & Pick<RunTable, 'run_id'>,
): Promise<UserPolicy | null> {
  if (run.started_by !== 'token') return runPolicy(policy, run)
  const begun = await reader
    .selectFrom('gateway_call')
    .leftJoin('access_token', 'access_token.token_id', 'gateway_call.client_id')
    .select(['token_id', 'expires_at'])
    .where('run_id', '=', run.run_id)
    .executeTakeFirst()
  const ended = begun !== undefined && (begun.token_id === null || Number(begun.expires_at ?? Infinity) <= Date.now())
  return ended ? null : runPolicy(policy, run)
}

/** Whether it may go on at all. */
export function mayRun(policy: UserPolicy | null): policy is UserPolicy {
  return policy !== null && policy.permission('codex.use').effect !== 'deny'
}
