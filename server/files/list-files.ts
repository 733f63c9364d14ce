import { sql } from 'kysely'
import type { FileEntry, FileKind, FileSort } from '../../contract/files.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { fold, likePattern } from '../kernel/text/plain-text.ts'
import { extensionsOf, KNOWN_EXTENSIONS } from './file-kind.ts'
import { COLUMNS, isFileId, toEntry } from './file-row.ts'

export interface FilePage {
  readonly limit: number
  /** The `next_cursor` of the previous page: its last file. */
  readonly cursor?: string | undefined
  /** Words that the name must contain, all of them, ignoring case and accents. */
  readonly q?: string | undefined
  readonly kind?: FileKind | undefined
  /** Default: newest first. */
  readonly sort?: FileSort | undefined
  /** Lists the deleted files that are not yet purged instead of the present ones. */
  readonly deleted?: boolean | undefined
}

/** Sort → the column that precedes the id, and the direction of both. Ids sort by time. */
const ORDER = {
  newest: [null, 'desc'],
  oldest: [null, 'asc'],
  name: ['name_folded', 'asc'],
  name_desc: ['name_folded', 'desc'],
  largest: ['size', 'desc'],
  smallest: ['size', 'asc'],
} as const satisfies Record<FileSort, readonly ['name_folded' | 'size' | null, 'asc' | 'desc']>

/** One page of a user's files. @throws {AppError} invalid_request for a cursor that no page returned */
export async function listFiles(
  db: Reader,
  user_id: string,
  { limit, cursor, q = '', kind, sort = 'newest', deleted = false }: FilePage,
): Promise<{ items: FileEntry[]; next_cursor: string | null }> {
  const [column, direction] = ORDER[sort]
  const beyond = direction === 'asc' ? '>' : '<'
  let query = db
    .selectFrom('file')
    .select(COLUMNS)
    .where('user_id', '=', user_id)
    .where('deleted_at', deleted ? 'is not' : 'is', null)
  if (cursor !== undefined) {
    if (!isFileId(cursor)) throw badCursor()
    if (column === null) query = query.where('file_id', beyond, cursor)
    else {
      const last = await db
        .selectFrom('file')
        .select(column)
        .where('user_id', '=', user_id)
        .where('file_id', '=', cursor)
        .executeTakeFirst()
      const value = (last as Record<string, string | number> | undefined)?.[column]
      if (value === undefined) throw badCursor()
      const compare = sql.raw(beyond)
      query = query.where(sql<boolean>`(${sql.ref(column)}, file_id) ${compare} (${value}, ${cursor})`)
    }
  }
  for (const word of q.split(/[\s\0]+/)) {
    if (word !== '') query = query.where(sql<boolean>`name_folded like ${likePattern(fold(word))} escape '\\'`)
  }
  if (kind === 'other') query = query.where('extension', 'not in', KNOWN_EXTENSIONS)
  else if (kind !== undefined) query = query.where('extension', 'in', extensionsOf(kind))
  if (column !== null) query = query.orderBy(column, direction)
  const rows = await query
    .orderBy('file_id', direction)
    .limit(limit + 1)
    .execute()
  const items = rows.slice(0, limit).map(toEntry)
  return { items, next_cursor: rows.length > limit ? items.at(-1)!.file_id : null }
}

function badCursor(): AppError {
  const message = say`This cursor is not from a list of files. Start again from the first page.`
  return new AppError('invalid_request', message, { errors: [{ path: 'cursor', message }] })
}
