import type { VoteTable } from '../rows/vote-tables.ts'
import type { Trx } from '../database.ts'
import type { Reader } from '../reader.ts'
import { enabledPeople, type Needed, type Subject } from './voters.ts'

/** The votes of those who may still vote, and whether they fill every place. A denial never does. */
export async function countedVotes(reader: Reader, { subject_id, asker, needs }: Subject) {
  const cast = await enabledPeople(reader)
    .innerJoin('vote', 'vote.user_id', 'user.user_id')
    .select('vote.decision')
    .where('vote.subject_id', '=', subject_id)
    .where('user.user_id', '!=', asker)
    .execute()
  const names = await roleNames(reader, needs)
  const counted = needs.map(({ role_id, count }) => ({
    role_id,
    count,
    role: names.get(role_id) ?? '',
    given: cast.filter((vote) => vote.role_id === role_id && vote.decision === 'approve').length,
  }))
  const denied = cast.some(({ decision }) => decision === 'deny')
  return { needs: counted, enough: !denied && counted.every(({ given, count }) => given >= count) }
}

/** Everything that was said, with the names that people have now, in order. */
export function votesSaid(reader: Reader, subject_ids: readonly string[]) {
  return reader
    .selectFrom('vote')
    .innerJoin('user', 'user.user_id', 'vote.user_id')
    .select([
      'vote.subject_id',
      'user.user_id',
      'user.username',
      'user.display_name as name',
      'vote.decision',
      'vote.at',
    ])
    .where('vote.subject_id', 'in', subject_ids)
    .orderBy('vote.at')
    .orderBy('vote.user_id')
    .execute()
}

/** What somebody has said; null while nothing. */
export async function voteOf(
  reader: Reader,
  subject_id: string,
  user_id: string,
): Promise<VoteTable['decision'] | null> {
  const vote = await reader
    .selectFrom('vote')
    .select('decision')
    .where('subject_id', '=', subject_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  return vote?.decision ?? null
}

/** One vote a person: who says something else changes theirs. */
export async function keepVote(trx: Trx, { subject_id, user_id, ...said }: VoteTable): Promise<void> {
  await trx
    .insertInto('vote')
    .values({ subject_id, user_id, ...said })
    .onConflict((conflict) => conflict.columns(['subject_id', 'user_id']).doUpdateSet(said))
    .execute()
}

/** Role ids with their names as they are now. */
export async function roleNames(reader: Reader, needs: readonly Needed[]): Promise<Map<string, string>> {
  const ids = needs.map(({ role_id }) => role_id)
  if (ids.length === 0) return new Map()
  const rows = await reader.selectFrom('role').select(['role_id', 'name']).where('role_id', 'in', ids).execute()
  return new Map(rows.map(({ role_id, name }) => [role_id, name]))
}

/** How many requests for a role for a while wait for this person's vote, in the role that they were given. */
export async function elevationsWaiting(reader: Reader, user_id: string, own_role_id: string): Promise<number> {
  const { count } = await reader
    .selectFrom('elevation')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('closed_at', 'is', null)
    .where('status', '=', 'requested')
    .where('ends_at', '>', Date.now())
    .where('elevation.user_id', '!=', user_id)
    // Ids have no characters that mean something here.
    .where('needs', 'like', `%"${own_role_id}"%`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('vote')
            .select('vote.user_id')
            .whereRef('vote.subject_id', '=', 'elevation.elevation_id')
            .where('vote.user_id', '=', user_id),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(count)
}
