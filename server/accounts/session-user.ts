import type { z } from 'zod'
import { LANGUAGES, type SessionUser } from '../../contract/accounts.ts'
import type { Caller } from '../../contract/route.ts'
import type { Database } from '../db/database.ts'
import { callerPermissions } from './policy.ts'

export type Language = (typeof LANGUAGES)[number]

/** The stored language, or English where this version does not speak it. */
export function languageOf(stored: string): Language {
  return LANGUAGES.find((language) => language === stored) ?? 'en'
}

/** Who is signed in, as the interface shows it, with what they may do now. */
export async function sessionUser(db: Database, caller: Caller): Promise<z.input<typeof SessionUser>> {
  const { role, permissions } = await callerPermissions(db, caller)
  return {
    id: caller.user_id,
    username: caller.username,
    display_name: caller.display_name,
    role,
    admin: caller.admin,
    language: languageOf(caller.language),
    permissions,
  }
}
