import type { ApprovalTable } from '../../db/rows/chat-tables.ts'
import type { Trx } from '../../db/database.ts'
import { voters } from '../../db/votes/voters.ts'
import type { NewEvent } from '../history/activity.ts'
import type { Need } from '../ports/policy.ts'

/** What `approval.needs` is where the person who asks decides. */
export const NOBODY_ELSE = '[]'

/** Who must agree to a card. */
export function needsOf({ needs }: Pick<ApprovalTable, 'needs'>): Need[] {
  return JSON.parse(needs) as Need[]
}

/** Who else is told when a card goes up, changes or closes: those who may vote on it. */
export async function othersTold(
  trx: Trx,
  card: Pick<ApprovalTable, 'user_id' | 'needs'>,
): Promise<Pick<NewEvent, 'others'>> {
  if (card.needs === NOBODY_ELSE) return {}
  return { others: await voters(trx, { asker: card.user_id, needs: needsOf(card) }) }
}
