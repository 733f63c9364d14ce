import type { Vote } from '../../../contract/messages.ts'
import type { ApprovalTable } from '../../db/rows/chat-tables.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { type Subject, voterOf } from '../../db/votes/voters.ts'
import { countedVotes, roleNames, votesSaid } from '../../db/votes/votes.ts'
import { iso } from '../../kernel/time.ts'
import type { Need } from '../ports/policy.ts'
import { needsOf, NOBODY_ELSE } from '../run/others-told.ts'

/** What a card shows of its votes: `approval.voting`. */
interface Voting {
  readonly needs: readonly (Need & { readonly role: string; readonly given: number })[]
  readonly votes: readonly Vote[]
}

/** As an approval is bound to it. */
export function needsText(needs: readonly Need[] = []): string {
  return JSON.stringify(needs.map(({ role_id, count }) => ({ role_id, count })))
}

type About = Pick<ApprovalTable, 'approval_id' | 'user_id' | 'needs'>

/** Null unless the person may vote on the card now: in a role that is needed, not disabled, and not who asks. */
export function voterOn(reader: Reader, card: About, user_id: string) {
  return voterOf(reader, subjectOf(card), user_id)
}

/** The votes of those who may still vote, and whether they fill every place. A denial never does. */
export async function countVotes(reader: Reader, card: About): Promise<{ voting: Voting['needs']; enough: boolean }> {
  const { needs, enough } = await countedVotes(reader, subjectOf(card))
  return { voting: needs, enough }
}

/** Records what the card shows: names as they are now. Returns whether the votes suffice. */
export async function showVotes(trx: Trx, card: About): Promise<boolean> {
  const { voting, enough } = await countVotes(trx, card)
  const said = await votesSaid(trx, [card.approval_id])
  const votes = said.map(({ username, name, decision, at }) => ({ username, name, decision, at: iso(at) }))
  const shown: Voting = { needs: voting, votes }
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
  const names = await roleNames(trx, needsOf(card))
  const needs = needsOf(card).map((need) => ({ ...need, role: names.get(need.role_id) ?? '', given: 0 }))
  return JSON.stringify({ needs, votes: [] } satisfies Voting)
}

function subjectOf(card: About): Subject {
  return { subject_id: card.approval_id, asker: card.user_id, needs: needsOf(card) }
}
