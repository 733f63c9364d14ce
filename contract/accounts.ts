import { z } from 'zod'
import { administration } from './administration.ts'
import { DisplayName, Password, Username } from './credentials.ts'
import { ElevationNow, elevations } from './elevations.ts'
import { json, optionalJson, route } from './route.ts'
import { confirmation } from './confirmation.ts'
import { signInMethods } from './sign-in-methods.ts'
import { PasskeyCredential } from './sign-in-values.ts'
import { EffectName, TokenScope } from './rules.ts'
import { Id, Ok, Timestamp } from './values.ts'

export * from './administration.ts'

export const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'ru', 'uk', 'zh', 'ja'] as const
export const PERSONAL_PROMPT_LIMIT = 4000

export const SessionUser = z.strictObject({
  id: Id,
  username: z.string(),
  display_name: z.string(),
  role: z.string(),
  admin: z.boolean(),
  language: z.enum(LANGUAGES),
  /** The current effect of each permission for this caller. */
  permissions: z.record(z.string(), EffectName),
  /** Present while `role` is one that the caller has for a while. */
  elevation: ElevationNow.optional(),
})
export const SignedIn = z.strictObject({ ok: Ok, user: SessionUser, csrf_token: z.string() })

export const SessionEntry = z.strictObject({
  session_id: Id,
  current: z.boolean(),
  address: z.string(),
  user_agent: z.string(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
})
/** Where a token counts: at the interface, or at the gateway for MCP clients; refused at the other. */
const TokenAudience = z.enum(['api', 'mcp'])
export const TokenEntry = z.strictObject({
  token_id: Id,
  name: z.string(),
  audience: TokenAudience,
  /** The MCP client that was let in with it by OAuth, and holds it; null: one that its owner has. */
  client_id: z.string().nullable(),
  permissions: z.array(z.string()).nullable(),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
})
const Preferences = z.strictObject({ language: z.enum(LANGUAGES), personal_prompt: z.string() })
export const accounts = {
  setup: route({
    method: 'POST',
    path: '/api/setup',
    summary: 'Create the first administrator with the one-time setup link',
    access: 'public',
    body: json(
      z.strictObject({
        token: z.string().max(200),
        username: Username,
        display_name: DisplayName.optional(),
        password: Password,
        language: z.enum(LANGUAGES).optional(),
      }),
    ),
    response: { kind: 'session', schema: SignedIn },
    errors: ['setup_done', 'setup_token_invalid', 'weak_password', 'sign_in_busy'],
    rateLimit: 30,
    sharedLimit: true,
  }),
  login: route({
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in',
    access: 'public',
    body: json(
      z.strictObject({
        username: z.string().max(200),
        password: z.string().max(1000),
        /** Second factor: a code from the app or a backup code; ignored for accounts without one. */
        totp: z.string().max(40).optional(),
      }),
    ),
    response: { kind: 'session', schema: SignedIn },
    errors: ['wrong_credentials', 'totp_required', 'totp_wrong', 'too_many_attempts', 'sign_in_busy'],
    rateLimit: 60,
    sharedLimit: true,
  }),
  passkeyLogin: route({
    method: 'POST',
    path: '/api/auth/passkey-login',
    summary: 'Sign in with a passkey; it counts as both factors',
    access: 'public',
    body: json(z.strictObject({ credential: PasskeyCredential })),
    response: { kind: 'session', schema: SignedIn },
    errors: ['passkey_refused', 'passkeys_unavailable', 'too_many_attempts'],
    rateLimit: 60,
    sharedLimit: true,
  }),
  logout: route({
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Sign out: end this session',
    access: 'session',
    sessionOnly: true,
    body: optionalJson(z.strictObject({})),
    response: { kind: 'session', schema: z.strictObject({ ok: Ok }) },
    errors: [],
  }),
  session: route({
    method: 'GET',
    path: '/api/auth/session',
    summary: 'Who am I, and the CSRF token of this session',
    access: 'session',
    tokenNeeds: 'account.read',
    response: json(
      z.strictObject({
        user: SessionUser,
        csrf_token: z.string(),
        session_id: Id,
        expires_at: Timestamp.nullable(),
      }),
    ),
    errors: [],
  }),
  listSessions: route({
    method: 'GET',
    path: '/api/auth/sessions',
    summary: 'My sign-ins',
    access: 'session',
    response: json(z.strictObject({ items: z.array(SessionEntry) })),
    errors: [],
  }),
  revokeSession: route({
    method: 'DELETE',
    path: '/api/auth/sessions/{session_id}',
    summary: 'End one of my sign-ins',
    access: 'session',
    sessionOnly: true,
    params: z.object({ session_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  changePassword: route({
    method: 'POST',
    path: '/api/auth/password',
    summary: 'Change my password; ends my other sessions',
    access: 'session',
    sessionOnly: true,
    body: json(z.strictObject({ current_password: z.string().max(1000), new_password: Password })),
    response: json(z.strictObject({ ok: Ok })),
    errors: ['wrong_credentials', 'weak_password', 'too_many_attempts', 'sign_in_busy'],
    rateLimit: 30,
  }),
  listTokens: route({
    method: 'GET',
    path: '/api/auth/tokens',
    summary: 'My access tokens',
    access: 'session',
    response: json(z.strictObject({ items: z.array(TokenEntry) })),
    errors: [],
  }),
  createToken: route({
    method: 'POST',
    path: '/api/auth/tokens',
    summary: 'Make an access token; it is shown once',
    access: 'session',
    freshSignIn: true,
    sessionOnly: true,
    body: json(
      z.strictObject({
        name: z.string().trim().min(1).max(80),
        expires_at: Timestamp.optional(),
        permissions: z.array(TokenScope).max(200).optional(),
        /** Left out: `api`. */
        audience: TokenAudience.optional(),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, token: z.string(), item: TokenEntry })),
    errors: [],
  }),
  revokeToken: route({
    method: 'DELETE',
    path: '/api/auth/tokens/{token_id}',
    summary: 'Revoke an access token',
    access: 'session',
    sessionOnly: true,
    params: z.object({ token_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  preferences: route({
    method: 'GET',
    path: '/api/ui-preferences',
    summary: 'My language and personal prompt',
    access: 'session',
    tokenNeeds: 'account.read',
    response: json(Preferences.extend({ supported_languages: z.array(z.enum(LANGUAGES)) })),
    errors: [],
  }),
  updatePreferences: route({
    method: 'PATCH',
    path: '/api/ui-preferences',
    summary: 'Change my language or personal prompt',
    access: 'session',
    tokenNeeds: 'preferences.write',
    // The handler refuses other values with 400, so the schema only says "string".
    body: json(z.strictObject({ language: z.string().optional(), personal_prompt: z.string().optional() })),
    response: json(Preferences.extend({ ok: Ok })),
    errors: ['unsupported_language', 'prompt_too_long'],
  }),
  ...confirmation,
  ...signInMethods,
  ...elevations,
  ...administration,
}
