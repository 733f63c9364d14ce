import type { Reader } from '../../db/database.ts'

/** Seconds since the last backup taken with `reeve backup`; null: never. */
export async function backupAge(db: Reader, now = Date.now()): Promise<number | null> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', 'last_backup').executeTakeFirst()
  if (row === undefined) return null
  const { at } = JSON.parse(row.value) as { at: number | string }
  return Math.max(0, (now - new Date(at).getTime()) / 1000)
}
