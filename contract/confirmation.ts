import { z } from 'zod'
import { json, optionalJson, route } from './route.ts'
import { CredentialOptions, PasskeyCredential } from './sign-in-values.ts'
import { Ok, Timestamp } from './values.ts'

/** How many minutes a sign-in counts as fresh after the person proved who they are. */
export const FRESH_MINUTES = 10

/**
 * Proving one's identity again before anything that would outlive the session. Routes that require it declare
 * `freshSignIn`, or the error `sign_in_again` if it depends on the request.
 */
export const confirmation = {
  confirmState: route({
    method: 'GET',
    path: '/api/auth/confirm',
    summary: 'Until when this sign-in is fresh, and how I can confirm that it is me',
    access: 'session',
    sessionOnly: true,
    response: json(
      z.strictObject({
        /** Null when it isn't fresh. */
        fresh_until: Timestamp.nullable(),
        password: z.boolean(),
        /** A code from the app, or a backup code. */
        code: z.boolean(),
        passkey: z.boolean(),
        /** Name of the provider that the caller has signed in with before; it asks them to sign in again. */
        openid: z.string().nullable(),
      }),
    ),
    errors: [],
  }),
  confirmOptions: route({
    method: 'POST',
    path: '/api/auth/confirm/options',
    summary: 'What a browser needs to confirm with a passkey; good for five minutes and one answer',
    access: 'session',
    sessionOnly: true,
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, options: CredentialOptions })),
    errors: ['passkeys_unavailable'],
    rateLimit: 30,
  }),
  confirmSignIn: route({
    method: 'POST',
    path: '/api/auth/confirm',
    summary: 'Confirm that it is me, by password, code or passkey: this sign-in is fresh for ten minutes',
    access: 'session',
    sessionOnly: true,
    body: json(
      z.strictObject({
        password: z.string().max(1000).optional(),
        /** A code from the app, or a backup code. */
        code: z.string().trim().min(1).max(40).optional(),
        credential: PasskeyCredential.optional(),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, fresh_until: Timestamp })),
    errors: [
      'wrong_credentials',
      'totp_wrong',
      'passkey_refused',
      'passkeys_unavailable',
      'too_many_attempts',
      'sign_in_busy',
    ],
    rateLimit: 30,
  }),
}
