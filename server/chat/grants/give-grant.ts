import type { ApprovalGrantTable, ApprovalTable } from '../../db/rows/chat-tables.ts'
import type { Trx } from '../../db/database.ts'
import { newId } from '../../kernel/id.ts'
import type { Taken } from './offers.ts'

/** Stores what a decision allows beyond its call; what it renews ends. Returns what the audit log says of it. */
export async function giveGrant(trx: Trx, card: ApprovalTable, { offer, uses, minutes }: Taken) {
  const now = Date.now()
  const grant: ApprovalGrantTable = {
    ...rowOf(card, now),
    kind: offer.kind,
    module: card.module,
    tool: card.tool,
    arguments_hash: offer.pattern === null ? card.arguments_hash : null,
    spec: offer.pattern === null ? null : JSON.stringify(offer.pattern),
    uses,
    uses_left: uses,
    expires_at: now + minutes * 60_000,
  }
  if (offer.renews)
    await trx
      .updateTable('approval_grant')
      .set({ revoked_at: now })
      .where('conversation_id', '=', card.conversation_id)
      .where('module', '=', card.module)
      .where('tool', '=', card.tool)
      .where('spec', '=', grant.spec)
      .where('targets_hash', '=', grant.targets_hash)
      .where('revoked_at', 'is', null)
      .execute()
  await trx.insertInto('approval_grant').values(grant).execute()
  const { grant_id, kind } = grant
  return { grant: { grant_id, kind, uses, minutes, ...(offer.pattern && { loosened: offer.pattern.loosened }) } }
}

/** Allows the permissions that the card of a run names, for its whole conversation. */
export async function givePermissions(trx: Trx, card: ApprovalTable, permissions: readonly string[]): Promise<void> {
  const now = Date.now()
  await trx
    .insertInto('approval_grant')
    .values(permissions.map((tool) => ({ ...rowOf(card, now), kind: 'permission' as const, module: '', tool })))
    .execute()
}

function rowOf(card: ApprovalTable, created_at: number) {
  const { user_id, conversation_id, definition_hash, basis, bound_hash: targets_hash, approval_id } = card
  const none = { arguments_hash: null, spec: null, uses: null, uses_left: null, expires_at: null, revoked_at: null }
  return {
    grant_id: newId('grant'),
    user_id,
    conversation_id,
    definition_hash,
    basis,
    targets_hash,
    approval_id,
    created_at,
    ...none,
  }
}
