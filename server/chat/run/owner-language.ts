import type { Reader } from '../../db/database.ts'

/** The language of a user, for text that is stored for them to read when no request of theirs provides it. */
export async function ownerLanguage(reader: Reader, user_id: string): Promise<string> {
  const user = await reader.selectFrom('user').select('language').where('user_id', '=', user_id).executeTakeFirst()
  return user?.language ?? 'en'
}
