import { z } from 'zod'
import { json, optionalJson, route } from './route.ts'
import { CredentialOptions, PasskeyCredential } from './sign-in-values.ts'
import { Id, Ok, Timestamp } from './values.ts'

export const PasskeyEntry = z.strictObject({
  passkey_id: Id,
  name: z.string(),
  /** Whether its provider syncs it between devices; otherwise it is on one device only. */
  synced: z.boolean(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
})

const Code = z.string().trim().min(1).max(40)
/** What the person knows or has, required before the second factor changes; one of the two is enough. */
const Proof = z.strictObject({
  password: z.string().max(1000).optional(),
  /** A code from the app, or a backup code. */
  code: Code.optional(),
})
const PasskeyName = z.string().trim().min(1).max(60)
const BackupCodes = z.array(z.string()).length(10)

/** Ways to sign in besides the password: codes from an app, passkeys, an OpenID Connect provider. */
export const signInMethods = {
  signInMethods: route({
    method: 'GET',
    path: '/api/auth/methods',
    summary: 'Which ways to sign in there are here',
    access: 'public',
    response: json(
      z.strictObject({
        /** Whether any user has one. */
        passkeys: z.boolean(),
        /** Name of the provider, if one is configured. */
        openid: z.strictObject({ name: z.string() }).nullable(),
      }),
    ),
    errors: [],
  }),
  mySignInMethods: route({
    method: 'GET',
    path: '/api/auth/methods/mine',
    summary: 'Which ways to sign in I have',
    access: 'session',
    response: json(
      z.strictObject({
        password: z.boolean(),
        totp: z.strictObject({ confirmed_at: Timestamp, backup_codes: z.int() }).nullable(),
        /** Whether passkeys work at the address of this request, and if not, why: a sentence. */
        passkeys_unavailable: z.string().nullable(),
        openid: z.array(z.strictObject({ issuer: z.string(), created_at: Timestamp, last_used_at: Timestamp })),
      }),
    ),
    errors: [],
  }),
  beginTotp: route({
    method: 'POST',
    path: '/api/auth/totp',
    summary: 'Make a secret for an app with codes; nothing is asked for before a code confirms it',
    access: 'session',
    freshSignIn: true,
    sessionOnly: true,
    body: optionalJson(z.strictObject({})),
    response: json(
      z.strictObject({
        ok: Ok,
        /** Base 32; shown now and never again. */
        secret: z.string(),
        /** The same as an `otpauth://` address, for a QR code. */
        uri: z.string(),
      }),
    ),
    errors: ['totp_active'],
  }),
  confirmTotp: route({
    method: 'POST',
    path: '/api/auth/totp/confirm',
    summary: 'Turn the second factor on with a first code; backup codes are shown once',
    access: 'session',
    freshSignIn: true,
    sessionOnly: true,
    body: json(z.strictObject({ code: Code })),
    response: json(z.strictObject({ ok: Ok, backup_codes: BackupCodes })),
    errors: ['totp_wrong', 'totp_active', 'totp_not_begun', 'too_many_attempts'],
    rateLimit: 30,
  }),
  renewBackupCodes: route({
    method: 'POST',
    path: '/api/auth/totp/backup-codes',
    summary: 'Make new backup codes; the old ones end',
    access: 'session',
    sessionOnly: true,
    body: json(Proof),
    response: json(z.strictObject({ ok: Ok, backup_codes: BackupCodes })),
    errors: ['totp_wrong', 'wrong_credentials', 'totp_not_begun', 'too_many_attempts', 'sign_in_busy'],
    rateLimit: 30,
  }),
  endTotp: route({
    method: 'POST',
    path: '/api/auth/totp/off',
    summary: 'Turn the second factor off',
    access: 'session',
    sessionOnly: true,
    body: json(Proof),
    response: json(z.strictObject({ ok: Ok })),
    errors: ['totp_wrong', 'wrong_credentials', 'totp_not_begun', 'too_many_attempts', 'sign_in_busy'],
    rateLimit: 30,
  }),
  listPasskeys: route({
    method: 'GET',
    path: '/api/auth/passkeys',
    summary: 'My passkeys',
    access: 'session',
    response: json(z.strictObject({ items: z.array(PasskeyEntry) })),
    errors: [],
  }),
  beginPasskey: route({
    method: 'POST',
    path: '/api/auth/passkeys/options',
    summary: 'What a browser needs to make a passkey; good for five minutes and one answer',
    access: 'session',
    freshSignIn: true,
    sessionOnly: true,
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, options: CredentialOptions })),
    errors: ['passkeys_unavailable', 'too_many_passkeys'],
    rateLimit: 30,
  }),
  registerPasskey: route({
    method: 'POST',
    path: '/api/auth/passkeys',
    summary: 'Keep the passkey that the browser made',
    access: 'session',
    freshSignIn: true,
    sessionOnly: true,
    body: json(z.strictObject({ name: PasskeyName, credential: PasskeyCredential })),
    response: json(z.strictObject({ ok: Ok, item: PasskeyEntry })),
    errors: ['passkey_refused', 'passkey_exists', 'passkeys_unavailable', 'too_many_passkeys'],
    rateLimit: 30,
  }),
  renamePasskey: route({
    method: 'PATCH',
    path: '/api/auth/passkeys/{passkey_id}',
    summary: 'Rename a passkey',
    access: 'session',
    sessionOnly: true,
    params: z.object({ passkey_id: Id }),
    body: json(z.strictObject({ name: PasskeyName })),
    response: json(z.strictObject({ ok: Ok, item: PasskeyEntry })),
    errors: ['not_found'],
  }),
  deletePasskey: route({
    method: 'DELETE',
    path: '/api/auth/passkeys/{passkey_id}',
    summary: 'Forget a passkey: nobody signs in with it any more',
    access: 'session',
    sessionOnly: true,
    params: z.object({ passkey_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  removeSecondFactor: route({
    method: 'DELETE',
    path: '/api/admin/users/{user_id}/second-factor',
    summary: "Remove a user's second factor and passkeys, for who lost them",
    access: 'admin',
    sessionOnly: true,
    params: z.object({ user_id: Id }),
    response: json(z.strictObject({ ok: Ok, totp: z.boolean(), passkeys: z.int() })),
    errors: ['not_found'],
  }),
  passkeyOptions: route({
    method: 'POST',
    path: '/api/auth/passkey-login/options',
    summary: 'What a browser needs to sign in with a passkey; good for five minutes and one answer',
    access: 'public',
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, options: CredentialOptions })),
    errors: ['passkeys_unavailable'],
    rateLimit: 30,
    sharedLimit: true,
  }),
  openidStart: route({
    method: 'GET',
    path: '/api/auth/oidc/start',
    summary: 'Go to the OpenID Connect provider to sign in; comes back to `next`, a path of this service',
    access: 'public',
    query: z.object({
      next: z.string().max(2000).optional(),
      /** Have the provider ask the person to sign in again instead of just recognising the browser. */
      again: z.literal('true').optional(),
    }),
    response: { kind: 'redirect', status: 303 },
    errors: [],
    rateLimit: 60,
  }),
  openidCallback: route({
    method: 'GET',
    path: '/api/auth/oidc/callback',
    summary:
      'Where the provider sends the browser back to: starts a session, or leads to the sign-in page with a reason',
    access: 'public',
    query: z.object({
      code: z.string().max(4000).optional(),
      state: z.string().max(1000).optional(),
      iss: z.string().max(2000).optional(),
      error: z.string().max(1000).optional(),
    }),
    response: { kind: 'redirect', status: 303 },
    errors: [],
    rateLimit: 60,
    sharedLimit: true,
  }),
}

/** Values of `problem` in `/login?problem=…` after returning from the provider. */
export type OpenidProblem =
  | 'openid_off'
  | 'openid_unreachable'
  | 'openid_expired'
  | 'openid_refused'
  | 'openid_unknown'
  | 'openid_name_taken'
  | 'openid_disabled'
