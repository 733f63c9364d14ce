import type { ApprovalTable } from '../../db/rows/chat-tables.ts'
import type { Reader } from '../../db/database.ts'

/** An approval with its owner's names, for who has decided: only the owner does. A pending one can do without. */
export type Card = ApprovalTable & { readonly owner_username?: string | null; readonly owner_name?: string | null }

/** Approvals with what is shown of them. */
export function cards(reader: Reader) {
  return reader
    .selectFrom('approval')
    .leftJoin('user', 'user.user_id', 'approval.user_id')
    .selectAll('approval')
    .select(['user.username as owner_username', 'user.display_name as owner_name'])
}
