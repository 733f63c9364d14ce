import { z } from 'zod'
import { json, route } from './route.ts'
import { Id, Ok, Timestamp } from './values.ts'

/** A user's sessions as an administrator sees them. */
const UserSession = z.strictObject({
  session_id: Id,
  address: z.string(),
  user_agent: z.string(),
  /** Whether it is the session that makes this request. */
  current: z.boolean(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
})

/** Other users' sessions, for administrators. */
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
    sessionOnly: true,
    params: z.object({ user_id: Id, session_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  endUserSessions: route({
    method: 'POST',
    path: '/api/admin/users/{user_id}/sessions/end',
    summary: 'End all sign-ins of a user, and revoke the access tokens where that is asked for',
    access: 'admin',
    sessionOnly: true,
    params: z.object({ user_id: Id }),
    body: json(z.strictObject({ access_tokens: z.boolean().default(false) })),
    response: json(z.strictObject({ ok: Ok, sessions: z.int(), access_tokens: z.int() })),
    errors: ['not_found'],
  }),
}
