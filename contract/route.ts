import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'

/**
 * A route as a value. From it come the handler's type, request validation, response validation in tests and
 * development, the browser's client, the OpenAPI document and the security matrix test.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with `{name}` placeholders, as interface.md writes it. */
  readonly path: `/${string}`
  readonly summary: string
  readonly access: 'public' | 'session' | 'admin'
  /** Permissions the caller's role must not deny. Effect `ask` is 409 `approval_required`, or see `onAsk`. */
  readonly permissions?: readonly Permission[]
  /** `card`: effect `ask` does not refuse the request; the handler puts an approval card before the person. */
  readonly onAsk?: 'card'
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** Request headers that the route reads, lower-case names. */
  readonly headers?: z.ZodObject
  readonly body?: JsonBody | RawBody
  readonly response: Response
  /** Codes that the route itself may answer; COMMON_ERRORS may come on any route. */
  readonly errors: readonly ErrorCode[]
  /** Requests a minute for one address before 429, where the route is worth guarding. */
  readonly rateLimit?: number
}

export const PERMISSIONS = ['codex.use', 'files.read', 'files.create', 'files.delete'] as const
export type Permission = (typeof PERMISSIONS)[number]
export type Effect = 'allow' | 'ask' | 'deny'

export interface JsonBody<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
  /** Bytes, where a route takes more than the usual 1 MiB (413 beyond). */
  readonly limit?: number
  /** The body is JSON also when the request names no content type, or `application/octet-stream`. */
  readonly untyped?: true
  /** Integers beyond 2^53 come as texts of their digits, which a number would lose. */
  readonly exact?: true
  /** The body may be left out (it then counts as `{}`). */
  readonly optional?: boolean
}
/** Bytes as they come, at most `limit` of them (413 beyond). */
export interface RawBody {
  readonly kind: 'raw'
  readonly limit: number
}

export interface JsonResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'json'
  readonly schema: S
}
/** JSON that also starts (or ends) a browser session: the handler returns `{ body, session }`. */
export interface SessionResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'session'
  readonly schema: S
}
/** JSON that is answered at once with 202 when the caller prefers not to wait: the handler returns either shape. */
export interface AcceptedResponse<S extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> {
  readonly kind: 'accepted'
  readonly schema: S
  readonly accepted: A
}
export interface PageResponse {
  readonly kind: 'page'
}
/** Leads on; may start a browser session, and keep a note in the browser until the person comes back from elsewhere. */
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
  /** The Cache-Control header; `private, no-store` when left out. */
  readonly cache?: 'no-store'
}
export interface EventsResponse<S extends z.ZodType = z.ZodType> {
  readonly kind: 'events'
  readonly schema: S
}
export type Response =
  | JsonResponse
  | SessionResponse
  | AcceptedResponse
  | PageResponse
  | RedirectResponse
  | TextResponse
  | FileResponse
  | EventsResponse

/** Who asks: made by the gate from a cookie or an access token, never from anything else the client sends. */
export interface Caller {
  readonly user_id: string
  readonly username: string
  readonly display_name: string
  readonly role_id: string
  readonly admin: boolean
  /** Public name of the sign-in or token; not the cookie. */
  readonly session_id: string
  readonly kind: 'session' | 'token'
  readonly language: string
  /** A token may be narrower than its owner: the only subjects it may use; null is "as wide as the owner". */
  readonly scope: readonly string[] | null
}

/** What a file handler returns: bytes with their label. Headers are written once, in http/reply. */
export interface FileAnswer {
  readonly name: string
  readonly media_type: string
  /** Bytes; null where nobody knows before they are made. */
  readonly size: number | null
  readonly stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
  /** Any part of it, `length` bytes beginning with the byte `from`: then the route answers requests for a range. */
  readonly part?: (from: number, length: number) => AsyncIterable<Uint8Array>
}
/** One server-sent event. `id` is left out for events that are not stored. */
export interface StreamEvent {
  readonly id?: number
  readonly event: string
  readonly data: unknown
}
/** A short text that the browser keeps and shows with every request (`client.note`), such as a sealed one. */
export interface BrowserNote {
  readonly text: string
  /** Epoch milliseconds. */
  readonly expires_at: number
}
/** What a redirect handler returns; `note: null` has the browser forget its note. */
export interface Redirection {
  readonly location: string
  readonly session?: SessionChange
  readonly note?: BrowserNote | null
}
/** Whom a browser session was started for; null ends the caller's. */
export interface SessionChange {
  readonly token: string
  readonly expires_at: number
}

/** What a request says of where it comes from; nothing of it proves anything. */
export interface RequestClient {
  readonly address: string
  readonly user_agent: string
  readonly content_type: string
  /** Where the person reached the service: `https://reeve.example`. */
  readonly origin: string
  /** What a redirect left in this browser. */
  readonly note: string | null
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
  /** Aborted when the connection is gone. A dropped connection never changes what the server does; it only ends streams. */
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
