import type { Trx } from '../../db/database.ts'
import { newId } from '../../kernel/id.ts'
import { fold, storable } from '../../kernel/text/plain-text.ts'
import type { Language } from '../sessions/session-user.ts'

export interface NewUser {
  readonly username: string
  readonly display_name: string | undefined
  /** Null until they choose one through an invitation. */
  readonly password_hash: string | null
  readonly role_id: string
  readonly language: Language
  /** Epoch milliseconds; null until they sign in. */
  readonly last_seen_at: number | null
}

/** Adds a user; names that differ only in case or accents are the same. Fails on the unique index when taken. */
export async function insertUser(trx: Trx, user: NewUser, now: number): Promise<{ user_id: string; username: string }> {
  const user_id = newId('user')
  const { username } = user
  await trx
    .insertInto('user')
    .values({
      ...user,
      user_id,
      username_folded: fold(username),
      display_name: storable(user.display_name || username),
      disabled_at: null,
      personal_prompt: '',
      created_at: now,
    })
    .execute()
  return { user_id, username }
}
