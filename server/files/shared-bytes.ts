import type { Database, Reader, Trx } from '../db/database.ts'
import { markUnused } from '../db/objects/unused-objects.ts'
import type { ByteStore } from './byte-store.ts'

/**
 * Files of one owner with the same content share their bytes. `file.stored_as` is the id of the bytes, and the rows are
 * the only record of who uses them, so nothing can get out of step. Never across owners: neither the speed of an upload
 * nor its cost may reveal what another user has.
 */

/** The id under which the owner already has this content, complete in the store; null when there is none. */
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
  // Content that the store has lost is not reused: the new bytes replace it.
  return (await store.size(row.stored_as)) === content.size ? row.stored_as : null
}

/**
 * Whether a row of the owner still uses these bytes. Call in a transaction that is serialized over the owner's files.
 */
export async function isUsed(trx: Trx, user_id: string, stored_as: string): Promise<boolean> {
  const row = await trx
    .selectFrom('file')
    .select('file_id')
    .where('stored_as', '=', stored_as)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Of the rows just deleted, the bytes that no row uses any more, which go on the list of the sweep. Call in the same
 * transaction.
 */
export async function leaveUnused(
  database: Database,
  trx: Trx,
  user_id: string,
  rows: readonly { stored_as: string }[],
): Promise<string[]> {
  const unused: string[] = []
  for (const stored_as of new Set(rows.map((row) => row.stored_as)))
    if (!(await isUsed(trx, user_id, stored_as))) unused.push(stored_as)
  await markUnused(database, trx, 'files', unused)
  return unused
}

/** Which of these ids a file is stored under. */
export async function namedFiles(db: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('file').select('stored_as').where('stored_as', 'in', ids).execute()
  return new Set(rows.map((row) => row.stored_as))
}
