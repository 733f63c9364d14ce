import { hashOf } from '../kernel/text/canonical.ts'
import type { Receipt, ReceiptEntry } from './documents.ts'

/**
 * What in a receipt contradicts itself, in sentences for an operator; empty when all of it fits. A signature says who
 * wrote it; this says whether the entries of the audit log in it are about what it tells.
 */
export function contradictions({ approval, call, audit }: Receipt): string[] {
  const found: string[] = []
  for (const { audit_id, hash, ...row } of audit) {
    if (hashOf(row) !== hash) found.push(`Audit entry ${audit_id} does not have the hash that is given for it.`)
    const target = row.action === 'tool.called' ? call?.tool_call_id : approval.approval_id
    if (row.target !== target) found.push(`Audit entry ${audit_id} is about something else.`)
    const details = detailsOf(row.details)
    if (details === null) found.push(`Audit entry ${audit_id} has no readable details.`)
    if (details === null || approval.kind !== 'call' || call === null) continue
    for (const name of ['arguments_hash', 'definition_hash'] as const)
      if (details[name] !== undefined && details[name] !== call[name])
        found.push(`Audit entry ${audit_id} has another ${name} than the call.`)
  }
  const closing = audit.find(isClosing)
  const told = closing?.action.split('.')[1]
  // Given first, and void because something changed before the call ran.
  const voided = approval.status === 'superseded' && told === 'approved'
  if (closing !== undefined && told !== approval.status && !voided)
    found.push(`Audit entry ${closing.audit_id} tells of another decision.`)
  if (closing !== undefined && closing.actor_id !== (approval.decided_by?.user_id ?? null))
    found.push(`Audit entry ${closing.audit_id} names another person.`)
  for (const { by, decision } of approval.votes ?? []) {
    const told = audit.findLast(({ action, actor_id }) => action === 'approval.voted' && actor_id === by.user_id)
    const details = told && (detailsOf(told.details) as { decision?: unknown } | null)
    if (details?.decision !== decision) found.push(`No audit entry tells of the vote of ${by.username}.`)
  }
  const order = audit.map(({ audit_id }) => audit_id)
  if (order.some((id, at) => at > 0 && id <= order[at - 1]!)) found.push('The audit entries are out of order.')
  return found
}

/** Whether an entry tells how the approval ended, and not of one vote among others. */
export function isClosing({ action }: Pick<ReceiptEntry, 'action'>): boolean {
  return /^(approval|question)\./.test(action) && action !== 'approval.voted'
}

function detailsOf(text: string): { arguments_hash?: unknown; definition_hash?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
