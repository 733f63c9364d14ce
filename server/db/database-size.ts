import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Database } from './database.ts'

/** The files that SQLite keeps beside the database. */
const BESIDE = ['', '-wal', '-shm']

/** Bytes that the database occupies on disk. */
export async function databaseSize({ dialect, read }: Pick<Database, 'dialect' | 'read'>): Promise<number> {
  const { file } = dialect
  if (file === null) {
    const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(read)
    return Number(rows[0]?.bytes ?? 0)
  }
  const sizes = await Promise.all(
    BESIDE.map((end) =>
      stat(`${file}${end}`).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
