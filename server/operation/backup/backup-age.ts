import type { Reader } from '../../db/database.ts'

/** The last backup taken with `reeve backup`, and when its snapshot was taken (epoch milliseconds); null: never. */
export async function lastBackup(db: Reader): Promise<{ at: number; file: string | null } | null> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', 'last_backup').executeTakeFirst()
  if (row === undefined) return null
  const { at, file } = JSON.parse(row.value) as { at: number | string; file?: string }
  return { at: new Date(at).getTime(), file: file ?? null }
}

/** Seconds since then; null: never. */
export async function backupAge(db: Reader, now = Date.now()): Promise<number | null> {
  const last = await lastBackup(db)
  return last && Math.max(0, (now - last.at) / 1000)
}
