import type { FileEntry } from '../../contract/files.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'

/** Columns of a file that reach the wire. */
export const COLUMNS = ['file_id', 'name', 'extension', 'media_type', 'size', 'created_at', 'origin'] as const

export interface FilePlace {
  readonly stored_as: string
  readonly path: string | null
  /** JSON of a TableReading, where the owner has chosen how it is read as a table. */
  readonly reading: string | null
}

type EntryRow = Omit<FileEntry, 'created_at' | 'origin'> & { created_at: number; origin: string | null }

export function toEntry({ origin, ...row }: EntryRow): FileEntry {
  return {
    ...row,
    created_at: new Date(row.created_at).toISOString(),
    ...(origin !== null && { origin: JSON.parse(origin) as NonNullable<FileEntry['origin']> }),
  }
}

/** Keeps anything that isn't one of our ids away from queries: PostgreSQL fails on a NUL. */
export function isFileId(text: string): boolean {
  return /^fil_[0-9a-z]{1,60}$/.test(text)
}

export function noSuchFile(): never {
  throw new AppError('not_found', say`There is no such file.`)
}

/**
 * Bytes that count against the quota: deleted files count until they are purged, and so does each copy of the same
 * content.
 */
export async function usedBytes(db: Reader, user_id: string): Promise<{ all: number; deleted: number }> {
  const rows = await db
    .selectFrom('file')
    .select((q) => [
      q('deleted_at', 'is not', null).as('deleted'),
      q.fn.sum<number | string | null>('size').as('bytes'),
    ])
    .where('user_id', '=', user_id)
    .groupBy('deleted')
    .execute()
  const bytesOf = (deleted: boolean): number => Number(rows.find((row) => Boolean(row.deleted) === deleted)?.bytes ?? 0)
  return { all: bytesOf(false) + bytesOf(true), deleted: bytesOf(true) }
}
