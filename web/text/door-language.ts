import { call } from '../client/api.ts'
import type { LanguageCode } from './language-names.ts'
import { queryClient } from '../client/query-client.ts'
import { type Session, sessionQuery } from '../client/queries.ts'

let chosen: LanguageCode | null = null

/** Remembers a choice made before sign-in, until someone signs in. */
export function chooseAtDoor(code: LanguageCode): void {
  chosen = code
}

/**
 * The language for a signed-in user. One just chosen at the sign-in page becomes theirs; otherwise the stored one
 * applies.
 */
export async function languageFor(session: Session): Promise<LanguageCode> {
  const language = chosen
  chosen = null
  if (language === null || language === session.user.language) return session.user.language
  try {
    await call('PATCH /api/ui-preferences', { body: { language } })
    queryClient.setQueryData(sessionQuery.queryKey, { ...session, user: { ...session.user, language } })
  } catch {
    // It applies to this visit only; the stored language returns at the next sign-in.
  }
  return language
}
