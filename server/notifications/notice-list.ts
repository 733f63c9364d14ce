import type { Notice } from '../../contract/notices.ts'
import { NoticeTopic } from '../../contract/notification-values.ts'
import type { Database, Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import type { TellPages } from './notices.ts'

/** What a newer version tells beside this one stands in the lists of its own processes, unread until then. */
const KNOWN = NoticeTopic.options

export interface NoticeListContext {
  readonly db: Database
  readonly tellPages: TellPages
}

interface Page {
  readonly unread: boolean
  readonly limit: number
  readonly cursor?: string | undefined
}

/** What a person has been told, newest first. */
export async function listNotices(
  reader: Reader,
  user_id: string,
  { unread, limit, cursor }: Page,
): Promise<{ items: Notice[]; unread: number; next_cursor: string | null }> {
  let select = reader
    .selectFrom('notice_reader as reader')
    .innerJoin('notice', 'notice.notice_id', 'reader.notice_id')
    .leftJoin('user', 'user.user_id', 'notice.by_user')
    .select(['notice.notice_id', 'event', 'ref_id', 'path', 'name', 'detail', 'by_user', 'notice.created_at'])
    .select(['read_at', 'username', 'display_name'])
    .where('reader.user_id', '=', user_id)
    .where('event', 'in', KNOWN)
    .orderBy('reader.notice_id', 'desc')
    .limit(limit + 1)
  if (unread) select = select.where('read_at', 'is', null)
  if (cursor !== undefined) select = select.where('reader.notice_id', '<', cursor)
  const rows = await select.execute()
  const kept = rows.slice(0, limit)
  return {
    items: kept.map(({ by_user, username, display_name, detail, created_at, read_at, ...notice }) => ({
      ...notice,
      detail: JSON.parse(detail) as Notice['detail'],
      by: by_user === user_id ? null : display_name || username,
      created_at: iso(created_at),
      read_at: isoOrNull(read_at),
    })),
    unread: await countUnread(reader, user_id),
    next_cursor: rows.length > limit ? kept.at(-1)!.notice_id : null,
  }
}

/** Marks one notice as read, and says how many are left. @throws {AppError} not_found */
export async function readNotice(context: NoticeListContext, user_id: string, notice_id: string): Promise<number> {
  const { db, tellPages } = context
  return db.transaction(async (trx) => {
    const own = await trx
      .selectFrom('notice_reader')
      .select('read_at')
      .where('user_id', '=', user_id)
      .where('notice_id', '=', notice_id)
      .executeTakeFirst()
    if (own === undefined) throw new AppError('not_found', say`There is no such notice.`)
    if (own.read_at === null) {
      await trx
        .updateTable('notice_reader')
        .set({ read_at: db.dialect.now })
        .where('user_id', '=', user_id)
        .where('notice_id', '=', notice_id)
        .execute()
      await tellPages(trx, [user_id], { notice_id })
    }
    return countUnread(trx, user_id)
  })
}

/** Marks all notices up to one as read, and says how many are left: those that came meanwhile. */
export async function readNotices(
  { db, tellPages }: NoticeListContext,
  user_id: string,
  until: string,
): Promise<number> {
  return db.transaction(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('notice_reader')
      .set({ read_at: db.dialect.now })
      .where('user_id', '=', user_id)
      .where('notice_id', '<=', until)
      .where('notice_id', 'in', (of) => of.selectFrom('notice').select('notice_id').where('event', 'in', KNOWN))
      .where('read_at', 'is', null)
      .executeTakeFirst()
    const left = await countUnread(trx, user_id)
    if (numUpdatedRows > 0n) await tellPages(trx, [user_id], {})
    return left
  })
}

async function countUnread(reader: Pick<Reader, 'selectFrom'>, user_id: string): Promise<number> {
  const { count } = await reader
    .selectFrom('notice_reader')
    .innerJoin('notice', 'notice.notice_id', 'notice_reader.notice_id')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .where('read_at', 'is', null)
    .where('event', 'in', KNOWN)
    .executeTakeFirstOrThrow()
  return count
}
