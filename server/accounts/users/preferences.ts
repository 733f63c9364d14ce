import { type accounts, LANGUAGES, PERSONAL_PROMPT_LIMIT } from '../../../contract/accounts.ts'
import type { Caller, HandlerInput } from '../../../contract/route.ts'
import type { Database } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { languageOf, type Language } from '../sessions/session-user.ts'

export interface Preferences {
  readonly language: Language
  readonly personal_prompt: string
}

export async function readPreferences(db: Database, caller: Caller): Promise<Preferences> {
  const row = await db.read
    .selectFrom('user')
    .select(['language', 'personal_prompt'])
    .where('user_id', '=', caller.user_id)
    .executeTakeFirst()
  if (!row) throw new AppError('not_signed_in', say`The account no longer exists.`)
  return { language: languageOf(row.language), personal_prompt: row.personal_prompt }
}

/** Changes only what is given. @throws {AppError} unsupported_language, prompt_too_long */
export async function updatePreferences(
  db: Database,
  caller: Caller,
  { language, personal_prompt }: HandlerInput<typeof accounts.updatePreferences>['body'],
): Promise<Preferences> {
  if (language !== undefined && !LANGUAGES.some((one) => one === language)) {
    throw new AppError('unsupported_language', say`Choose one of ${LANGUAGES.join(', ')}.`)
  }
  if (personal_prompt !== undefined && [...personal_prompt].length > PERSONAL_PROMPT_LIMIT) {
    throw new AppError(
      'prompt_too_long',
      say`The personal prompt may have at most ${PERSONAL_PROMPT_LIMIT} characters.`,
    )
  }
  if (language !== undefined || personal_prompt !== undefined) {
    await db.write
      .updateTable('user')
      .set({
        ...(language !== undefined && { language }),
        ...(personal_prompt !== undefined && { personal_prompt: storable(personal_prompt) }),
      })
      .where('user_id', '=', caller.user_id)
      .execute()
  }
  return readPreferences(db, caller)
}
