import { call } from './api.ts'
import type { LanguageCode } from './language-names.ts'
import { queryClient } from './query-client.ts'
import { type Session, sessionQuery } from './queries.ts'

let chosen: LanguageCode | null = null

/** Remembers what was chosen before signing in, until somebody has. */
export function chooseAtDoor(code: LanguageCode): void {
  chosen = code
}

/** The language to show to who is signed in. One chosen at the door a moment ago becomes theirs; else it is the stored one. */
export async function languageFor(session: Session): Promise<LanguageCode> {
  const language = chosen
  chosen = null
  if (language === null || language === session.user.language) return session.user.language
  try {
    await call('PATCH /api/ui-preferences', { body: { language } })
    queryClient.setQueryData(sessionQuery.queryKey, { ...session, user: { ...session.user, language } })
  } catch {
    // It holds for this visit, and is asked for again at the next sign-in.
  }
  return language
}
