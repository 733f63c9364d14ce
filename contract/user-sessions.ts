import { z } from 'zod'
import { json, route } from './route.ts'
import { Id, Ok, Timestamp } from './values.ts'

/** Where somebody is signed in, as an administrator sees it. */
const UserSession = z.strictObject({
  session_id: Id,
  address: z.string(),
  user_agent: z.string(),
  /** The administrator's own, with which this is asked. */
  current: z.boolean(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
})

/** Other people's sign-ins, for administrators. */
export const userSessions = {
  listUserSessions: route({
    method: 'GET',
    path: '/api/admin/users/{user_id}/sessions',
    summary: 'Where a user is signed in, and how many access tokens of theirs there are',
    access: 'admin',
    params: z.object({ user_id: Id }),
    response: json(z.strictObject({ items: z.array(UserSession), access_tokens: z.int() })),
    errors: ['not_found'],
  }),
  endUserSession: route({
    method: 'DELETE',
    path: '/api/admin/users/{user_id}/sessions/{session_id}',
    summary: 'End one sign-in of a user',
    access: 'admin',
    params: z.object({ user_id: Id, session_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  endUserSessions: route({
    method: 'POST',
    path: '/api/admin/users/{user_id}/sessions/end',
    summary: 'End all sign-ins of a user, and revoke the access tokens where that is asked for',
    access: 'admin',
    params: z.object({ user_id: Id }),
    body: json(z.strictObject({ access_tokens: z.boolean().default(false) })),
    response: json(z.strictObject({ ok: Ok, sessions: z.int(), access_tokens: z.int() })),
    errors: ['not_found'],
  }),
}
