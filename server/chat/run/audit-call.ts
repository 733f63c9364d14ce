import type { Verification } from '../../../contract/chat.ts'
import type { RunTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import type { AuditLog } from '../ports/audit-log.ts'
import type { UserPolicy } from '../ports/policy.ts'
import { type CallTargets, readTargets, storedTargets, type StoredTarget } from '../targets/call-targets.ts'
import type { HostEnd } from '../targets/fan-out.ts'

/** Characters of the arguments that the audit log keeps. */
const ARGUMENTS = 2000

/** What the entry of a call needs beyond its row. */
export interface CallEnd {
  readonly actor: Pick<UserPolicy, 'user_id' | 'username' | 'elevated' | 'audit_reads'>
  /** Of the program that the tool ran. */
  readonly exit_code?: number | undefined
  /** Whether it took, as looked up afterwards. */
  readonly verified?: Verification | null
  /** The change that it took back. */
  readonly undoes?: string | null
  /** How it ended on each of its machines; not for this one alone. */
  readonly hosts?: readonly (StoredTarget & { readonly status: HostEnd['status'] })[] | undefined
}

/**
 * Records a call that has run, in the transaction that ends it. `end` is missing when the run was taken over after an
 * interruption.
 */
export type AuditCall = (trx: Trx, run: RunTable, call: ToolCallTable, end: CallEnd | undefined) => Promise<void>

/**
 * Each call that may have changed something has an entry, with its arguments as they are shown: without secrets, and
 * never with its result. Of calls that only read, the role of the user says what is kept.
 */
export function auditCalls(audit: AuditLog): AuditCall {
  return async (trx, run, call, end) => {
    const tool = `${call.module}.${call.tool}`
    const failed = call.status !== 'done'
    if (call.effect === 'read') {
      const kept = end?.actor.audit_reads ?? 'off'
      if (kept === 'count') await audit.count(trx, { actor: end!.actor, action: 'tool.counted', target: tool, failed })
      if (kept !== 'full') return
    }
    const { arguments: given, started_at, ended_at } = call
    await audit.record(trx, {
      actor: end?.actor ?? (await OWNER.first(trx, { user_id: run.user_id })) ?? null,
      action: 'tool.called',
      target: call.tool_call_id,
      outcome: failed ? 'failed' : 'ok',
      details: {
        tool,
        title: call.title,
        effect: call.effect,
        ...auditArguments(given, call.targets, end?.hosts),
        arguments_hash: call.arguments_hash,
        ...(call.repaired === null ? {} : { repaired: JSON.parse(call.repaired) as string[] }),
        run_id: run.run_id,
        conversation_id: run.conversation_id,
        status: call.status,
        ...(started_at === null || ended_at === null ? {} : { duration_ms: ended_at - started_at }),
        ...(end?.exit_code === undefined ? {} : { exit_code: end.exit_code }),
        ...(end?.verified ? { verified: end.verified.outcome } : {}),
        ...(end?.undoes ? { undoes: end.undoes } : {}),
        ...(await approval(trx, call)),
      },
    })
  }
}

/** How a call ended on each of its machines, for its entry. */
export function endedOn(targets: CallTargets | null, ends: readonly HostEnd[]) {
  return storedTargets(targets) === null
    ? undefined
    : ends.map(({ host: { host_id, name }, status }) => ({ host_id, name, status }))
}

/** What the audit log keeps of the arguments of a call, given as JSON without secrets, and where it runs. */
export function auditArguments(given: string, targets: string | null, ended?: CallEnd['hosts']) {
  const hosts = ended ?? readTargets(targets)
  const [only, ...others] = hosts ?? []
  return {
    ...(others.length > 0 ? {} : { host: only?.name ?? 'local' }),
    ...(hosts === null ? {} : { hosts }),
    arguments: cut(given, ARGUMENTS),
    ...(given.length > ARGUMENTS ? { arguments_cut: true } : {}),
  }
}

const OWNER = query((db, is: { user_id: string }) =>
  db.selectFrom('user').select(['user_id', 'username']).where('user_id', '=', is.user_id),
)

/** Who allowed a call that asked: its own card, or an earlier one that covers it. */
async function approval(trx: Reader, call: ToolCallTable) {
  if (call.decision !== 'ask') return {}
  const { tool_call_id } = call
  const own = await CARD.first(trx, { tool_call_id })
  const by = own ?? (await GRANT.first(trx, { tool_call_id }))
  if (!by) return {}
  const { username, display_name } = by
  return {
    approved_by: {
      username,
      display_name,
      ...('grant_id' in by ? { for_conversation: true, grant_id: by.grant_id } : {}),
    },
  }
}

const CARD = query((db, is: { tool_call_id: string }) =>
  db
    .selectFrom('approval')
    .leftJoin('user', 'user.username', 'approval.decided_by')
    .select(['approval.decided_by as username', 'user.display_name'])
    .where('approval.tool_call_id', '=', is.tool_call_id)
    .where('approval.kind', '=', 'call')
    .where('approval.status', '=', 'approved'),
)

const GRANT = query((db, is: { tool_call_id: string }) =>
  db
    .selectFrom('grant_use')
    .innerJoin('approval_grant', 'approval_grant.grant_id', 'grant_use.grant_id')
    .innerJoin('approval', 'approval.approval_id', 'approval_grant.approval_id')
    .leftJoin('user', 'user.username', 'approval.decided_by')
    .select(['approval.decided_by as username', 'user.display_name', 'approval_grant.grant_id'])
    .where('grant_use.tool_call_id', '=', is.tool_call_id),
)
