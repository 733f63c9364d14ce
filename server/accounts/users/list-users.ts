import type { z } from 'zod'
import type { User, UserState } from '../../../contract/administration.ts'
import type { Database } from '../../db/database.ts'
import { fold, storable } from '../../kernel/text/plain-text.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { userEntry, users, type UserRow } from './users.ts'

export interface UserQuery {
  /** Words of username and display name; all must occur, ignoring case. */
  readonly q?: string | undefined
  readonly role_id?: string | undefined
  readonly state?: z.infer<typeof UserState> | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Rows a word search reads at a time. */
const PAGE = 500

/** Users in order of creation; the cursor is the last one's id. */
export async function listUsers(
  { db, clock }: AccountsContext,
  query: UserQuery,
): Promise<{ items: z.input<typeof User>[]; next_cursor: string | null }> {
  const words = fold(query.q ?? '')
    .split(/\s+/)
    .filter(Boolean)
  const fits = (row: UserRow): boolean => {
    const text = fold(`${row.username} ${row.display_name}`)
    return words.every((word) => text.includes(word))
  }
  const now = clock()
  const found: UserRow[] = []
  const most = words.length === 0 ? query.limit + 1 : PAGE
  for (let after = query.cursor; found.length <= query.limit;) {
    // Words are compared here and not in SQL, which folds text differently.
    const rows = await readPage(db, query, after, most, now)
    found.push(...rows.filter(fits))
    if (rows.length < most) break
    after = rows.at(-1)!.user_id
  }
  const items = found.slice(0, query.limit).map((row) => userEntry(row, now))
  return { items, next_cursor: found.length > query.limit ? items.at(-1)!.user_id : null }
}

function readPage(db: Database, { role_id, state }: UserQuery, after: string | undefined, most: number, now: number) {
  let query = users(db.read).orderBy('user.user_id').limit(most)
  if (after !== undefined) query = query.where('user.user_id', '>', storable(after))
  if (role_id !== undefined) query = query.where('user.role_id', '=', storable(role_id))
  if (state === 'active') query = query.where('user.disabled_at', 'is', null)
  if (state === 'disabled') query = query.where('user.disabled_at', 'is not', null)
  if (state === 'invited') query = query.where('invitation.expires_at', '>', now)
  return query.execute()
}
