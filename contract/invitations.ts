import { z } from 'zod'
import { Password } from './credentials.ts'
import { json, route } from './route.ts'
import { Id, Ok, Timestamp } from './values.ts'

const UserParams = z.object({ user_id: Id })
const InvitationToken = z.string().min(1).max(200)

/** A link for choosing a password: created by an administrator, valid once and for seven days. */
export const invitations = {
  invite: route({
    method: 'POST',
    path: '/api/admin/users/{user_id}/invite',
    summary: 'Make a link with which a user chooses a password. An older link of the user stops working',
    access: 'admin',
    sessionOnly: true,
    params: UserParams,
    response: json(
      z.strictObject({
        ok: Ok,
        /** Only returned this once. */
        token: z.string(),
        /** The path and query of the link. */
        path: z.string(),
        expires_at: Timestamp,
      }),
    ),
    errors: ['not_found', 'user_disabled', 'sign_in_again'],
  }),
  revokeInvitation: route({
    method: 'DELETE',
    path: '/api/admin/users/{user_id}/invite',
    summary: 'Take back the link with which a user chooses a password',
    access: 'admin',
    sessionOnly: true,
    params: UserParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  readInvitation: route({
    method: 'POST',
    path: '/api/auth/invitation/read',
    summary: 'Whose password a link is for. Changes nothing: the token is in the body to stay out of logs',
    access: 'public',
    body: json(z.strictObject({ token: InvitationToken })),
    response: json(
      z.strictObject({
        username: z.string(),
        display_name: z.string(),
        expires_at: Timestamp,
        /** Whether there is a password that the new one replaces. */
        replaces: z.boolean(),
      }),
    ),
    errors: ['invitation_invalid'],
    rateLimit: 60,
    sharedLimit: true,
  }),
  acceptInvitation: route({
    method: 'POST',
    path: '/api/auth/invitation',
    summary: 'Choose a password with a link. Nobody is signed in by it: a second factor stays in force',
    access: 'public',
    body: json(z.strictObject({ token: InvitationToken, password: Password })),
    response: json(z.strictObject({ ok: Ok, username: z.string() })),
    errors: ['invitation_invalid', 'weak_password', 'sign_in_busy'],
    rateLimit: 30,
    sharedLimit: true,
  }),
}
