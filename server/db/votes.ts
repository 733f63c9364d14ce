import type { VoteTable } from './chat-tables.ts'
import type { Trx } from './database.ts'
import type { Reader } from './reader.ts'

/** Votes about a call, or about a role that somebody asks for: who may, and how many count now. */

/** So many people of a role, none of them the one who asks. */
export interface Needed {
  readonly role_id: string
  readonly count: number
}

export interface Subject {
  /** What the votes are about. */
  readonly subject_id: string
  /** Who asks, and never counts. */
  readonly asker: string
  readonly needs: readonly Needed[]
}

/** Most people who are told of a subject at once; everybody else who may vote finds it in the list. */
const TOLD = 100

/** People who can sign in, with the role that they were given. */
export function enabledPeople(reader: Reader) {
  return reader
    .selectFrom('user')
    .select(['user.user_id', 'user.username', 'user.display_name', 'user.role_id'])
    .where('user.disabled_at', 'is', null)
    .where('user.deleted_at', 'is', null)
}

/** Ids of those who may vote, the most recently seen. */
export async function voters(reader: Reader, { asker, needs }: Omit<Subject, 'subject_id'>): Promise<string[]> {
  const roles = needs.map(({ role_id }) => role_id)
  if (roles.length === 0) return []
  const people = await enabledPeople(reader)
    .where('user.role_id', 'in', roles)
    .where('user.user_id', '!=', asker)
    // Whoever was here lately is the likeliest to decide.
    .orderBy((user) => user.fn.coalesce('user.last_seen_at', user.lit(0)), 'desc')
    .limit(TOLD)
    .execute()
  return people.map(({ user_id }) => user_id)
}

/** Null unless the person may vote now: in a role that is needed, not disabled, and not who asks. */
export async function voterOf(reader: Reader, { asker, needs }: Omit<Subject, 'subject_id'>, user_id: string) {
  if (asker === user_id || needs.length === 0) return null
  const voter = await enabledPeople(reader).where('user.user_id', '=', user_id).executeTakeFirst()
  return voter !== undefined && needs.some(({ role_id }) => role_id === voter.role_id) ? voter : null
}

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
    .select(['vote.subject_id', 'user.user_id', 'user.username', 'user.display_name as name', 'vote.decision', 'vote.at'])
    .where('vote.subject_id', 'in', subject_ids)
    .orderBy('vote.at')
    .orderBy('vote.user_id')
    .execute()
}

/** What somebody has said; null while nothing. */
export async function voteOf(reader: Reader, subject_id: string, user_id: string): Promise<VoteTable['decision'] | null> {
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
