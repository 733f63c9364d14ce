import type { ApprovalTable } from '../../db/chat-tables.ts'
import type { Reader, Trx } from '../../db/database.ts'
import type { NewEvent } from '../history/activity.ts'
import type { Need } from '../ports/policy.ts'

/** What `approval.needs` is where the person who asks decides. */
export const NOBODY_ELSE = '[]'
/** Most people who are told of a card at once; everybody else who may vote finds it in the list. */
const TOLD = 100

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
  const roles = needsOf(card).map(({ role_id }) => role_id)
  const people = await enabledPeople(trx)
    .where('user.role_id', 'in', roles)
    .where('user.user_id', '!=', card.user_id)
    // Whoever was here lately is the likeliest to decide.
    .orderBy((user) => user.fn.coalesce('user.last_seen_at', user.lit(0)), 'desc')
    .limit(TOLD)
    .execute()
  return { others: people.map(({ user_id }) => user_id) }
}

/** People who can sign in. */
export function enabledPeople(reader: Reader) {
  return reader
    .selectFrom('user')
    .select(['user.user_id', 'user.username', 'user.display_name', 'user.role_id'])
    .where('user.disabled_at', 'is', null)
    .where('user.deleted_at', 'is', null)
}
