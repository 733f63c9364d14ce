import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/**
 * A route as a value: the source of the handler's type, request validation, response validation in tests and
 * development, the browser's client, the OpenAPI document and the security matrix test.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with `{name}` placeholders, as written in interface.md. */
  readonly path: `/${string}`
  readonly summary: string
  readonly access: 'public' | 'session' | 'admin'
  /**
   * Only for access tokens made for it, which count nowhere else; no cookie is read. Left out: for sessions, and tokens made
   * for scripts.
   */
  readonly audience?: 'mcp'
  /** With `public`: who asks is not looked up, so it answers without the database. */
  readonly callerless?: true
  /**
   * Permissions the caller's role must not deny. The effect `ask` results in 409 `approval_required`, unless `onAsk`
   * says otherwise.
   */
  readonly permissions?: readonly Permission[]
  /** `card`: the effect `ask` does not refuse the request; the handler shows the person an approval card. */
  readonly onAsk?: 'card'
  /** Only for a signed-in person, not for access tokens: it changes permissions or access, or decides an approval. */
  readonly sessionOnly?: true
  /**
   * Only within ten minutes after the person signed in or confirmed their identity; else 403 `sign_in_again`. Never
   * with an access token.
   */
  readonly freshSignIn?: true
  /**
   * What a narrowed access token must cover besides `permissions`. A route that declares neither is closed to narrowed
   * tokens.
   */
  readonly tokenNeeds?: TokenSubject | Permission
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** Request headers that the route reads, with lower-case names. */
  readonly headers?: z.ZodObject
  readonly body?: JsonBody | RawBody
  readonly response: Response
  /** Codes that the route itself may return; COMMON_ERRORS may occur on any route. */
  readonly errors: readonly ErrorCode[]
  /**
   * Answers carry an ETag that differs whenever the answer would: it names the newest change of anything that belongs
   * to the caller. With `If-None-Match` naming it, the answer is 304 and costs next to nothing.
   */
  readonly revised?: true
  /** Requests per minute and address before 429, for routes worth guarding. */
  readonly rateLimit?: number
  /**
   * The limit holds for all processes together and not for each: the route checks a secret, tells who has an account, or
   * stores something for strangers.
   */
  readonly sharedLimit?: true
}

export const PERMISSIONS = [
  'codex.use',
  'files.read',
  'files.create',
  'files.delete',
  'conversations.import',
  'audit.read',
  'procedures.review',
] as const
export type Permission = (typeof PERMISSIONS)[number]
/** What an access token can be narrowed to besides permissions and tools. People always have it. */
export const TOKEN_SUBJECTS = [
  'account.read',
  'preferences.write',
  'conversations.read',
  'conversations.write',
  'commands.read',
  'commands.write',
] as const
export type TokenSubject = (typeof TOKEN_SUBJECTS)[number]
export type Effect = 'allow' | 'ask' | 'deny'

export interface JsonBody<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  /** Bytes, for routes that accept more than the usual 1 MiB (413 beyond). */
  readonly limit?: number
  /** The body is also read as JSON when the request has no content type or `application/octet-stream`. */
  readonly untyped?: true
  /** Integers beyond 2^53 arrive as text, because a number would lose digits. */
  readonly exact?: true
  /** The body may be omitted (it then counts as `{}`). */
  readonly optional?: boolean
}
/** Raw bytes, at most `limit` of them (413 beyond). */
export interface RawBody {
  readonly kind: 'raw'
  readonly limit: number
}

export interface JsonResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
}
/** JSON that also starts or ends a browser session: the handler returns `{ body, session }`. */
export interface SessionResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'session'
  readonly schema: S
}
/** JSON, answered at once with 202 when the caller prefers not to wait; the handler returns either shape. */
export interface AcceptedResponse<S extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> {
  readonly kind: 'accepted'
  readonly schema: S
  readonly accepted: A
}
export interface PageResponse {
  readonly kind: 'page'
}
/**
 * A redirect; may start a browser session, and keep a note in the browser until the person returns from another site.
 */
export interface RedirectResponse {
  readonly kind: 'redirect'
  readonly status: 303
}
export interface TextResponse {
  readonly kind: 'text'
  readonly mediaType: string
}
export interface FileResponse {
  readonly kind: 'file'
  readonly disposition: 'inline' | 'attachment'
  /** The Cache-Control header; `private, no-store` by default. */
  readonly cache?: 'no-store' | 'private, max-age=31536000, immutable'
}
export interface EventsResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'events'
  readonly schema: S
}
/** What another library answers: its status, headers and body as they are. */
export interface RelayedResponse {
  readonly kind: 'relayed'
}
export type Response =
  | RelayedResponse
  | JsonResponse
  | SessionResponse
  | AcceptedResponse
  | PageResponse
  | RedirectResponse
  | TextResponse
  | FileResponse
  | EventsResponse

/** A role that somebody has for a while instead of their own. */
export interface Elevated {
  readonly elevation_id: string
  /** Names when it was asked for. */
  readonly role: string
  readonly own_role: string
  readonly own_role_id: string
  /** Epoch milliseconds. */
  readonly ends_at: number
}

/** The caller, determined by the gate from a cookie or access token and never from anything else the client sends. */
export interface Caller {
  readonly user_id: string
  readonly username: string
  readonly display_name: string
  readonly role_id: string
  /** Differs whenever the name or the rules of the role do. */
  readonly role_revision: number
  /** Present while the role is one that the caller has taken for a while; never with an access token. */
  readonly elevated?: Elevated
  readonly admin: boolean
  /** Public name of the sign-in or token; not the cookie. */
  readonly session_id: string
  /** `routine`: work that somebody has planned, and nobody may be there. */
  readonly kind: 'session' | 'token' | 'routine'
  readonly language: string
  /** The only subjects that a narrowed token may use; null means the full scope of its owner. */
  readonly scope: readonly string[] | null
}

/** What a file handler returns: bytes with their metadata. Headers are written in one place, http/reply. */
export interface FileAnswer {
  readonly name: string
  readonly media_type: string
  /** Bytes; null when unknown until they are produced. */
  readonly size: number | null
  readonly stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
  /** Returns `length` bytes from offset `from`; if present, the route answers range requests. */
  readonly part?: (from: number, length: number) => AsyncIterable<Uint8Array>
}
/** One server-sent event. `id` is omitted for events that are not stored. */
export interface StreamEvent {
  readonly id?: number
  readonly event: string
  readonly data: unknown
}
/** A short text, for example a sealed one, that the browser keeps and sends with every request (`client.note`). */
export interface BrowserNote {
  readonly text: string
  /** Epoch milliseconds. */
  readonly expires_at: number
}
/** What a redirect handler returns; `note: null` deletes the browser's note. */
export interface Redirection {
  readonly location: string
  readonly session?: SessionChange
  readonly note?: BrowserNote | null
}
/** The browser session to start; null ends the caller's. */
export interface SessionChange {
  readonly token: string
  readonly expires_at: number
  /** What the browser keeps beyond the session and sends at the next sign-in (`client.device`). */
  readonly device?: { readonly token: string; readonly expires_at: number }
}

/** What a request says about its origin; none of it is proof. */
export interface RequestClient {
  readonly address: string
  readonly user_agent: string
  readonly content_type: string
  /** Size of the body in bytes, if stated. */
  readonly content_length?: number | undefined
  /** The origin under which the person reached the service: `https://reeve.example`. */
  readonly origin: string
  /** What a redirect left in this browser. */
  readonly note: string | null
  /** What an earlier sign-in left in this browser. */
  readonly device: string | null
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : Record<string, never>

export interface HandlerInput<R extends Route> {
  readonly params: Parsed<R['params']>
  readonly query: Parsed<R['query']>
  readonly headers: Parsed<R['headers']>
  readonly body: R['body'] extends JsonBody<infer S>
    ? z.output<S>
    : R['body'] extends RawBody
      ? AsyncIterable<Uint8Array>
      : undefined
  readonly caller: R['access'] extends 'public' ? Caller | null : Caller
  /** Permissions of the route whose effect is `ask` (only with `onAsk: 'card'`). */
  readonly asks: readonly Permission[]
  readonly client: RequestClient
  /**
   * Aborted when the connection is lost. A lost connection never changes what the server does; it only ends streams.
   */
  readonly signal: AbortSignal
}

export type HandlerOutput<R extends Route> =
  R['response'] extends JsonResponse<infer S>
    ? z.input<S>
    : R['response'] extends SessionResponse<infer S>
      ? { body: z.input<S>; session: SessionChange | null }
      : R['response'] extends AcceptedResponse<infer S, infer A>
        ? { status: 200; body: z.input<S> } | { status: 202; body: z.input<A> }
        : R['response'] extends PageResponse
          ? undefined
          : R['response'] extends RedirectResponse
            ? Redirection
            : R['response'] extends TextResponse
              ? string
              : R['response'] extends RelayedResponse
                ? globalThis.Response
                : R['response'] extends FileResponse
                  ? FileAnswer
                  : R['response'] extends EventsResponse
                    ? AsyncIterable<StreamEvent>
                    : never

export type Handler<R extends Route> = (input: HandlerInput<R>) => Promise<HandlerOutput<R>> | HandlerOutput<R>
/** A handler for each route of a group: a forgotten or misspelt one does not compile. */
export type Handlers<G extends Record<string, Route>> = { readonly [K in keyof G]: Handler<G[K]> }

export function route<const R extends Route>(definition: R): R {
  return definition
}
export function json<S extends z.ZodType>(schema: S): { kind: 'json'; schema: S } {
  return { kind: 'json', schema }
}
export function optionalJson<S extends z.ZodType>(schema: S): { kind: 'json'; schema: S; optional: true } {
  return { kind: 'json', schema, optional: true }
}
