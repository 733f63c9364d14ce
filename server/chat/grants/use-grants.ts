import type { ApprovalGrantTable, RunTable } from '../../db/rows/chat-tables.ts'
import type { Trx } from '../../db/database.ts'
import { change, insertRows, query } from '../../db/statement.ts'
import type { Pattern, Policy, Verdict } from '../ports/policy.ts'
import type { Tool } from '../ports/tools.ts'
import { isDangerous } from './offers.ts'

interface BoundCall {
  readonly arguments_hash: string
  readonly definition_hash: string
  readonly basis: string
  readonly bound_hash: string
}

/** A call that asks, and what it is judged by. */
export interface AskingCall {
  readonly tool_call_id: string
  readonly tool: Tool
  readonly input: Record<string, unknown>
  readonly bound: BoundCall
  readonly verdict: Pick<Verdict, 'every_time'>
  /** Its conversation held what others may have written when the call was asked for. */
  readonly untrusted: boolean
}

export interface Granted {
  readonly granted: boolean
  /** A grant that would cover the call, if the conversation had not read what others may have written since. */
  readonly sleeping: Pattern | null
}

const NO: Granted = { granted: false, sleeping: null }

/**
 * Whether an earlier approval covers a call, which counts one of its uses. Under the lock of the run. Approvals count only
 * in runs that a signed-in person started, never for a script with an access token.
 */
export async function useGrant(
  trx: Trx,
  policy: Pick<Policy, 'covers'>,
  run: Pick<RunTable, 'started_by' | 'conversation_id' | 'user_id'>,
  call: AskingCall,
): Promise<Granted> {
  if (run.started_by !== 'session' || call.verdict.every_time) return NO
  const { conversation_id, user_id } = run
  const { tool, input, bound, untrusted } = call
  const { definition_hash, basis, arguments_hash, bound_hash: targets_hash } = bound
  const now = Date.now()
  const rated = { module: tool.module, tool: tool.name, definition_hash, basis, targets_hash }
  const about = { conversation_id, user_id, ...rated, now }
  let sleeping: Pattern | null = null
  for (const grant of await GRANTS.all(trx, about)) {
    if (grant.kind === 'exact' && grant.arguments_hash !== arguments_hash) continue
    const pattern = grant.kind === 'pattern' ? (JSON.parse(grant.spec!) as Pattern) : null
    if (pattern !== null && !policy.covers(tool, pattern, input)) continue
    if (pattern !== null && untrusted && (isDangerous(tool) || isAsleep(grant))) {
      sleeping = pattern
      continue
    }
    // Whoever takes the last use at this moment is the only one.
    if ((await TAKE.first(trx, { grant_id: grant.grant_id, now })) === undefined) continue
    await insertRows(trx, 'grant_use', [{ tool_call_id: call.tool_call_id, grant_id: grant.grant_id }])
    return { granted: true, sleeping: null }
  }
  return { granted: false, sleeping }
}

/**
 * The same for a call that is about to run: the use that was counted for it holds as long as its grant does; one that was
 * not asked for then may take a use now.
 */
export async function stillGranted(
  trx: Trx,
  policy: Pick<Policy, 'covers'>,
  run: Pick<RunTable, 'started_by' | 'conversation_id' | 'user_id'>,
  call: AskingCall,
): Promise<Granted> {
  const used = await USED.first(trx, { tool_call_id: call.tool_call_id })
  if (used === undefined) return useGrant(trx, policy, run, call)
  const { definition_hash, basis, arguments_hash, bound_hash } = call.bound
  const holds =
    run.started_by === 'session' &&
    !call.verdict.every_time &&
    used.revoked_at === null &&
    Number(used.expires_at) > Date.now() &&
    used.definition_hash === definition_hash &&
    used.basis === basis &&
    used.targets_hash === bound_hash &&
    (used.kind === 'exact'
      ? used.arguments_hash === arguments_hash
      : policy.covers(call.tool, JSON.parse(used.spec!) as Pattern, call.input))
  return { granted: holds, sleeping: null }
}

/** Whether a pattern was approved before its conversation, which has since, read what others may have written. */
export function isAsleep(grant: Pick<ApprovalGrantTable, 'kind'> & { readonly card_untrusted: string | null }) {
  return grant.kind === 'pattern' && grant.card_untrusted === null
}

const GRANTS = query(
  (
    db,
    is: Pick<
      ApprovalGrantTable,
      'conversation_id' | 'user_id' | 'module' | 'tool' | 'definition_hash' | 'basis' | 'targets_hash'
    > & { now: number },
  ) =>
    db
      .selectFrom('approval_grant')
      .innerJoin('approval', 'approval.approval_id', 'approval_grant.approval_id')
      .select(['grant_id', 'approval_grant.kind', 'approval_grant.arguments_hash', 'approval_grant.spec'])
      .select('approval.untrusted as card_untrusted')
      .where('approval_grant.conversation_id', '=', is.conversation_id)
      .where('approval_grant.module', '=', is.module)
      .where('approval_grant.tool', '=', is.tool)
      .where('approval_grant.user_id', '=', is.user_id)
      .where('approval_grant.kind', '!=', 'permission')
      .where('approval_grant.definition_hash', '=', is.definition_hash)
      .where('approval_grant.basis', '=', is.basis)
      .where('approval_grant.targets_hash', '=', is.targets_hash)
      .where('uses_left', '>', 0)
      .where('approval_grant.expires_at', '>', is.now)
      .where('revoked_at', 'is', null)
      .orderBy('approval_grant.kind')
      .orderBy('grant_id'),
)

const TAKE = change((db, is: { grant_id: string; now: number }) =>
  db
    .updateTable('approval_grant')
    .set((row) => ({ uses_left: row('uses_left', '-', 1) }))
    .where('grant_id', '=', is.grant_id)
    .where('uses_left', '>', 0)
    .where('expires_at', '>', is.now)
    .where('revoked_at', 'is', null)
    .returning('grant_id'),
)

const USED = query((db, is: { tool_call_id: string }) =>
  db
    .selectFrom('grant_use')
    .innerJoin('approval_grant', 'approval_grant.grant_id', 'grant_use.grant_id')
    .selectAll('approval_grant')
    .where('tool_call_id', '=', is.tool_call_id),
)
