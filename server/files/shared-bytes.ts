import type { Database, Trx } from '../db/database.ts'
import type { ByteStore } from './byte-store.ts'

/**
 * Files of one owner with the same content have their bytes once. `file.stored_as` says under which id, and the rows are
 * the only count of who uses them, so nothing can get out of step. Never across owners: how fast an upload is, or what it
 * costs, must not tell what somebody else has.
 */

/** Under which id the owner already has this content, whole in the store; null when nowhere. */
export async function findBytes(
  database: Database,
  store: ByteStore,
  content: { user_id: string; sha256: string; size: number },
): Promise<string | null> {
  const row = await database.read
    .selectFrom('file')
    .select('stored_as')
    .where('user_id', '=', content.user_id)
    .where('sha256', '=', content.sha256)
    .where('size', '=', content.size)
    .executeTakeFirst()
  if (row === undefined) return null
  // A content that the store lost is not passed on: the new bytes take its place.
  return (await store.size(row.stored_as)) === content.size ? row.stored_as : null
}

/** Whether a row of the owner still uses these bytes. In a transaction that is serialized over the owner's files. */
export async function isUsed(trx: Trx, user_id: string, stored_as: string): Promise<boolean> {
  const row = await trx
    .selectFrom('file')
    .select('file_id')
    .where('stored_as', '=', stored_as)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  return row !== undefined
}

/** Of rows that were just deleted, the bytes that no row uses any more. In the same transaction. */
export async function unusedBytes(
  trx: Trx,
  user_id: string,
  rows: readonly { stored_as: string }[],
): Promise<string[]> {
  const unused: string[] = []
  for (const stored_as of new Set(rows.map((row) => row.stored_as)))
    if (!(await isUsed(trx, user_id, stored_as))) unused.push(stored_as)
  return unused
}
