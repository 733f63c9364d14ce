import type { notices as contract } from '../../contract/notices.ts'
import type { Handlers } from '../../contract/route.ts'
import { listNotices, type NoticeListContext, readNotice, readNotices } from './notice-list.ts'

/** The handlers of the list of what a person has been told. */
export function noticeRoutes(of: NoticeListContext): Handlers<typeof contract> {
  return {
    listNotices: ({ caller, query }) =>
      listNotices(of.db.read, caller.user_id, { ...query, unread: query.unread === 'true' }),
    readNotice: async ({ caller, params }) => ({
      ok: true,
      unread: await readNotice(of, caller.user_id, params.notice_id),
    }),
    readNotices: async ({ caller, body }) => ({ ok: true, unread: await readNotices(of, caller.user_id, body.until) }),
  }
}
