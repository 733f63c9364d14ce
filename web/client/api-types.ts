import type { z } from 'zod'
import type { contract } from '../../contract/index.ts'
import type { AcceptedResponse, JsonBody, JsonResponse, RawBody, SessionResponse } from '../../contract/route.ts'

/*
 * What `call` accepts and returns, taken from the contract by types alone: no route value, and so no zod, is loaded
 * in the browser. A method, path, parameter or field that the contract does not have is a compile error.
 */
type Groups = typeof contract
type AnyRoute = { [G in keyof Groups]: Groups[G][keyof Groups[G]] }[keyof Groups]
type JsonRoute = Extract<AnyRoute, { response: JsonResponse | SessionResponse | AcceptedResponse }>
type Table = { [R in JsonRoute as `${R['method']} ${R['path']}`]: R }

/** `'POST /api/chat'`: method and path of every route that responds with JSON. */
export type RouteKey = keyof Table

/** The JSON that a route responds with. */
export type Output<K extends RouteKey> = OutputOf<Table[K]>
type OutputOf<R> = R extends {
  response: { kind: 'accepted'; schema: infer S extends z.ZodType; accepted: infer A extends z.ZodType }
}
  ? z.output<S> | z.output<A>
  : R extends { response: { schema: infer S extends z.ZodType } }
    ? z.output<S>
    : never

/** Computed per route: the product over all routes would be too large for the compiler. */
export type CallOptions<K extends RouteKey> = K extends RouteKey ? OptionsOf<Table[K]> : never
type OptionsOf<R> = Field<R, 'params'> &
  Field<R, 'query'> &
  Field<R, 'headers'> &
  BodyField<R> & { signal?: AbortSignal }

type Field<R, N extends 'params' | 'query' | 'headers'> = R extends { [P in N]: infer S extends z.ZodObject }
  ? N extends 'params'
    ? { params: Given<S> }
    : { [P in N]?: Given<S> }
  : { [P in N]?: undefined }

type BodyField<R> = R extends { body: infer B }
  ? B extends RawBody
    ? { body: Blob | ArrayBuffer }
    : B extends JsonBody<infer S>
      ? B extends { optional: true }
        ? { body?: z.input<S> }
        : { body: z.input<S> }
      : { body?: undefined }
  : { body?: undefined }

/** Optional like the input (defaults may be left out), typed like the output (a coerced number is a number). */
type Given<S extends z.ZodObject> = {
  [K in keyof z.input<S> as undefined extends z.input<S>[K] ? K : never]?: K extends keyof z.output<S>
    ? z.output<S>[K]
    : never
} & {
  [K in keyof z.input<S> as undefined extends z.input<S>[K] ? never : K]: K extends keyof z.output<S>
    ? z.output<S>[K]
    : never
}

/** `call('GET /healthz')` needs no second argument; `call('POST /api/chat')` without one does not compile. */
export type Arguments<K extends RouteKey> =
  {} extends CallOptions<K> ? [options?: CallOptions<K>] : [options: CallOptions<K>]
