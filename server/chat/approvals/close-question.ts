import type { Caller } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import type { ApprovalTable } from '../../db/rows/chat-tables.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import type { RunContext } from '../run/run-context.ts'

export interface QuestionEnd {
  readonly status: 'approved' | 'denied' | 'expired' | 'cancelled'
  /** Who decided; null when it expired or the call ended. */
  readonly actor: Caller | null
  /** JSON of the values given; `{}` if none were. */
  readonly content: string
  readonly reason: string | null
}

/**
 * Closes a question that is still open, records the event, and wakes the call that waits for it. The caller holds the
 * run's lock. Returns false if it was already closed.
 */
export async function closeQuestion(
  { db, activity, ports }: Pick<RunContext, 'db' | 'activity' | 'ports'>,
  trx: Trx,
  card: ApprovalTable,
  { status, actor, content, reason }: QuestionEnd,
): Promise<boolean> {
  const closed = await trx
    .updateTable('approval')
    .set({
      status,
      decision: status === 'approved' ? 'approve' : status === 'denied' ? 'deny' : null,
      arguments: content,
      arguments_hash: hashOf(JSON.parse(content)),
      decided_at: Date.now(),
      decided_by: actor?.username ?? null,
      decision_reason: reason === null ? null : storable(reason),
    })
    .where('approval_id', '=', card.approval_id)
    .where('status', '=', 'pending')
    .returning('approval_id')
    .executeTakeFirst()
  if (!closed) return false
  const { approval_id, conversation_id, run_id } = card
  if (status !== 'cancelled') {
    await ports.audit.record(trx, {
      actor,
      action: `question.${status}`,
      target: approval_id,
      outcome: status === 'approved' ? 'ok' : 'refused',
      details: {
        tool: `${card.module}.${card.tool}`,
        run_id,
        ...(reason === null ? {} : { reason: storable(reason) }),
      },
    })
  }
  const run = await trx.selectFrom('run').select('output_message_id').where('run_id', '=', run_id).executeTakeFirst()
  const data = { approval_id, status, message_id: run?.output_message_id }
  await activity.append(trx, card.user_id, [{ type: 'approval.decided', conversation_id, run_id, data }])
  db.wake(trx, approval_id)
  return true
}
