import type { AnswerContent } from '../../../contract/chat.ts'
import type { Caller } from '../../../contract/route.ts'
import type { ApprovalTable } from '../../db/rows/chat-tables.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { Taken } from '../grants/offers.ts'
import { type Card, cards } from '../history/cards.ts'
import { auditArguments } from '../run/audit-call.ts'

/** How a card ends. */
export interface Closing {
  readonly status: 'approved' | 'denied' | 'expired'
  readonly actor: Caller | null
  readonly decision: ApprovalTable['decision']
  readonly reason: string | null
  readonly content: AnswerContent
  /** What the decision allows beyond the call. */
  readonly taken: Taken | null
}
/** Its time is up. */
export const EXPIRED: Closing = {
  status: 'expired',
  actor: null,
  decision: null,
  reason: null,
  content: {},
  taken: null,
}

/** A card as it is now. */
export async function readCard(trx: Trx, approval_id: string): Promise<Card> {
  return cards(trx).where('approval_id', '=', approval_id).executeTakeFirstOrThrow()
}

/** Whose request was decided, and what it would have done: as it was shown on the card. */
export async function aboutCard(trx: Trx, card: ApprovalTable) {
  const { user_id, conversation_id, kind, arguments: given, targets } = card
  const asked_by = await trx
    .selectFrom('user')
    .select(['user_id', 'username', 'display_name'])
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  return { asked_by, conversation_id, ...(kind === 'call' ? auditArguments(given, targets) : {}) }
}

/** Thrown only once the run continues without the call, so that it does not wait for someone to notice. */
export function approvalExpired(): AppError {
  return new AppError('approval_expired', say`This approval has expired. Ask again to get a new one.`)
}
