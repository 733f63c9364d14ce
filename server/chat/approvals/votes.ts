import type { Vote } from '../../../contract/messages.ts'
import type { ApprovalTable } from '../../db/chat-tables.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { iso } from '../../kernel/time.ts'
import type { Need } from '../ports/policy.ts'
import { enabledPeople, needsOf, NOBODY_ELSE } from '../run/others-told.ts'

/** What a card shows of its votes: `approval.voting`. */
interface Voting {
  readonly needs: readonly (Need & { readonly role: string; readonly given: number })[]
  readonly votes: readonly Vote[]
}

/** As an approval is bound to it. */
export function needsText(needs: readonly Need[] = []): string {
  return JSON.stringify(needs.map(({ role_id, count }) => ({ role_id, count })))
}

/** A person who may vote, as of now. */
interface Voter {
  readonly user_id: string
  readonly username: string
  readonly display_name: string
  readonly role_id: string
}

type About = Pick<ApprovalTable, 'approval_id' | 'user_id' | 'needs'>

/** Null unless the person may vote on the card now: in a role that is needed, not disabled, and not who asks. */
export async function voterOn(reader: Reader, card: About, user_id: string): Promise<Voter | null> {
  if (card.user_id === user_id) return null
  const roles = needsOf(card).map(({ role_id }) => role_id)
  if (roles.length === 0) return null
  const voter = await enabledPeople(reader).where('user.user_id', '=', user_id).executeTakeFirst()
  return voter !== undefined && roles.includes(voter.role_id) ? voter : null
}

/** The votes of those who may still vote, and whether they fill every place. A denial never does. */
export async function countVotes(reader: Reader, card: About): Promise<{ voting: Voting['needs']; enough: boolean }> {
  const cast = await enabledPeople(reader)
    .innerJoin('vote', 'vote.user_id', 'user.user_id')
    .select('vote.decision')
    .where('vote.subject_id', '=', card.approval_id)
    .where('user.user_id', '!=', card.user_id)
    .execute()
  const names = await roleNames(reader, card)
  const voting = needsOf(card).map(({ role_id, count }) => ({
    role_id,
    count,
    role: names.get(role_id) ?? '',
    given: cast.filter((vote) => vote.role_id === role_id && vote.decision === 'approve').length,
  }))
  const denied = cast.some(({ decision }) => decision === 'deny')
  return { voting, enough: !denied && voting.every(({ given, count }) => given >= count) }
}

/** Records what the card shows: names as they are now. Returns whether the votes suffice. */
export async function showVotes(trx: Trx, card: About): Promise<boolean> {
  const { voting, enough } = await countVotes(trx, card)
  const votes = await trx
    .selectFrom('vote')
    .innerJoin('user', 'user.user_id', 'vote.user_id')
    .select(['user.username', 'user.display_name as name', 'vote.decision', 'vote.at'])
    .where('vote.subject_id', '=', card.approval_id)
    .orderBy('vote.at')
    .orderBy('vote.user_id')
    .execute()
  const shown: Voting = { needs: voting, votes: votes.map((vote) => ({ ...vote, at: iso(vote.at) })) }
  await trx
    .updateTable('approval')
    .set({ voting: JSON.stringify(shown) })
    .where('approval_id', '=', card.approval_id)
    .execute()
  return enough
}

/** The same for a card that is about to go up. */
export async function newVoting(trx: Trx, card: Pick<ApprovalTable, 'needs'>): Promise<string | null> {
  if (card.needs === NOBODY_ELSE) return null
  const names = await roleNames(trx, card)
  const needs = needsOf(card).map((need) => ({ ...need, role: names.get(need.role_id) ?? '', given: 0 }))
  return JSON.stringify({ needs, votes: [] } satisfies Voting)
}

async function roleNames(reader: Reader, card: Pick<ApprovalTable, 'needs'>): Promise<Map<string, string>> {
  const ids = needsOf(card).map(({ role_id }) => role_id)
  const rows = await reader.selectFrom('role').select(['role_id', 'name']).where('role_id', 'in', ids).execute()
  return new Map(rows.map(({ role_id, name }) => [role_id, name]))
}
