import type { Database } from '../db/database.ts'
import { namedFiles } from './shared-bytes.ts'
import { STORED_ID } from './stored-id.ts'

const AT_ONCE = 500

/**
 * Forgets what this machine has made of bytes that no file has any more: another process may have deleted them, or this
 * one was not running then.
 */
export async function forgetDerived(
  database: Database,
  ids: readonly string[],
  forget: (stored_as: string) => Promise<void>,
): Promise<void> {
  const stored = ids.filter((id) => STORED_ID.test(id))
  for (let from = 0; from < stored.length; from += AT_ONCE) {
    const some = stored.slice(from, from + AT_ONCE)
    const named = await namedFiles(database.read, some)
    for (const id of some) if (!named.has(id)) await forget(id)
  }
}
