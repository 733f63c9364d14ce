import { z } from 'zod'
import { NoticeTopic } from './notification-values.ts'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

/** Something that a person is told, and that waits for no answer. */
export const Notice = z.strictObject({
  notice_id: Id,
  event: NoticeTopic,
  /** What it is about: a routine, a file, a procedure, a watch. */
  ref_id: Id,
  /** The page that shows it, in this service. */
  path: z.string(),
  /** As its owner calls it. */
  name: z.string(),
  /** Small facts by name, such as `reason`. */
  detail: z.record(z.string(), z.union([z.string(), z.number()])),
  /** Whose it is or who asks, if somebody does; null: nobody in particular. */
  by: z.string().nullable(),
  created_at: Timestamp,
  read_at: Timestamp.nullable(),
})
export type Notice = z.infer<typeof Notice>

const read = json(
  z.strictObject({
    ok: Ok,
    /** How many are left. */
    unread: z.int(),
  }),
)

/** What people have been told besides cards that wait; kept for 30 days. */
export const notices = {
  listNotices: route({
    method: 'GET',
    path: '/api/notices',
    summary: 'What I have been told, newest first',
    access: 'session',
    sessionOnly: true,
    query: z.object({ unread: z.enum(['true', 'false']).default('false'), limit: limit(50), cursor: Cursor }),
    response: json(z.strictObject({ items: z.array(Notice), unread: z.int(), next_cursor: NextCursor })),
    errors: [],
  }),
  readNotice: route({
    method: 'POST',
    path: '/api/notices/{notice_id}/read',
    summary: 'Marks a notice as read',
    access: 'session',
    sessionOnly: true,
    params: z.object({ notice_id: Id }),
    response: read,
    errors: ['not_found'],
  }),
  readNotices: route({
    method: 'POST',
    path: '/api/notices/read',
    summary: 'Marks all notices up to one as read',
    access: 'session',
    sessionOnly: true,
    body: {
      kind: 'json',
      /** The newest one that was shown. */
      schema: z.strictObject({ until: Id }),
    },
    response: read,
    errors: [],
  }),
}
