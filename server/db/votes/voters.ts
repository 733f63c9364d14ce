import type { Caller } from '../../../contract/route.ts'
import type { Reader } from '../reader.ts'

/** Who may vote about a call, or about a role that somebody asks for. */

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

/** Votes go by the role that somebody was given, whichever they have taken for a while. */
export function ownRoleOf({ elevated, role_id }: Pick<Caller, 'elevated' | 'role_id'>): string {
  return elevated?.own_role_id ?? role_id
}

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
