import type { Reader } from '../db/database.ts'

/** How long deleted files can be restored. */
const RESTORABLE_MS = 30 * 24 * 60 * 60_000
const PURGED_AT_ONCE = 100

/** Some files whose restore period is over; none when there are no more. */
export function filesPastRestoring(reader: Reader, now: number): Promise<{ user_id: string; file_id: string }[]> {
  return reader
    .selectFrom('file')
    .select(['user_id', 'file_id'])
    .where('deleted_at', '<', now - RESTORABLE_MS)
    .limit(PURGED_AT_ONCE)
    .execute()
}

/** Some files of a user, deleted ones included. */
export async function someFilesOf(reader: Reader, user_id: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('file')
    .select('file_id')
    .where('user_id', '=', user_id)
    .limit(PURGED_AT_ONCE)
    .execute()
  return rows.map((row) => row.file_id)
}
