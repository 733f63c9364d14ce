import type { z } from 'zod'
import { Problem } from '../../contract/errors.ts'
import type { AcceptedResponse, JsonBody, JsonResponse, RawBody, Route, SessionResponse } from '../../contract/route.ts'

type Given<K extends string, S> = S extends z.ZodType
  ? Record<never, never> extends z.input<S>
    ? { [P in K]?: z.input<S> }
    : { [P in K]: z.input<S> }
  : unknown
type GivenBody<B> =
  B extends JsonBody<infer S> ? (B extends { optional: true } ? { body?: z.input<S> } : { body: z.input<S> }) : unknown
/** A raw body may have any content; `headers` may name more than the route reads. */
type GivenBytes<B> = B extends RawBody ? { body: RequestInit['body'] } : unknown

export type CallInput<R extends Route> = Given<'params', R['params']> &
  Given<'query', R['query']> &
  GivenBody<R['body']> &
  GivenBytes<R['body']> & { headers?: Record<string, string>; signal?: AbortSignal }

/** What `call` gives: the checked JSON, or the response itself for pages, files, redirects, texts and events. */
export type CallOutput<R extends Route> =
  R['response'] extends JsonResponse<infer S>
    ? z.output<S>
    : R['response'] extends SessionResponse<infer S>
      ? z.output<S>
      : R['response'] extends AcceptedResponse<infer S, infer A>
        ? { status: 200; body: z.output<S> } | { status: 202; body: z.output<A> }
        : Response

/** A refusal by the server, as its problem document tells it. */
export class ProblemAnswer extends Error {
  readonly status: number
  readonly code: Problem['code']
  readonly problem: Problem
  readonly response: Response

  constructor(where: string, response: Response, problem: Problem) {
    super(`${where}: ${problem.status} ${problem.code}: ${problem.detail}`)
    this.status = response.status
    this.code = problem.code
    this.problem = problem
    this.response = response
  }
}

interface LooseInput {
  params?: Record<string, string | number | boolean | undefined>
  query?: Record<string, string | number | boolean | undefined>
  headers?: Record<string, string>
  body?: unknown
  signal?: AbortSignal
}

function pathOf(route: Route, { params = {}, query = {} }: LooseInput): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const given = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) given.set(key, String(value))
  return given.size === 0 ? path : `${path}?${given.toString()}`
}

/** A browser or script seen from the server: keeps cookies, sends the CSRF token, follows no redirect. */
export class TestClient {
  readonly #base: () => string
  readonly #cookies = new Map<string, string>()
  csrfToken: string | null = null
  /** Sent as `Authorization: Bearer` when set. */
  bearer: string | null = null

  /** `base` is asked for every request, because a restarted server may have another port. */
  constructor(base: () => string) {
    this.#base = base
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Any request to the service: `path` begins with `/`. Headers given in `init` win over the client's own. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    const own = {
      cookie: this.cookie,
      'x-csrf-token': this.csrfToken,
      authorization: this.bearer && `Bearer ${this.bearer}`,
    }
    for (const [name, value] of Object.entries(own)) if (value && !headers.has(name)) headers.set(name, value)
    const response = await fetch(this.#base() + path, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '' || /max-age=0\b/i.test(line)) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }

  /** Asks a route of the contract; the answer is checked against its schema. Throws ProblemAnswer for a refusal. */
  async call<R extends Route>(
    route: R,
    ...[input]: Record<never, never> extends CallInput<R> ? [input?: CallInput<R>] : [input: CallInput<R>]
  ): Promise<CallOutput<R>> {
    const given: LooseInput = input ?? {}
    const asJson = route.body?.kind === 'json' && given.body !== undefined
    const response = await this.fetch(pathOf(route, given), {
      method: route.method,
      headers: { ...(asJson ? { 'content-type': 'application/json' } : {}), ...given.headers },
      body: asJson ? JSON.stringify(given.body) : (given.body as RequestInit['body']),
      signal: given.signal,
      // Needed as soon as a body is a stream; the browser's types do not know it.
      ...({ duplex: 'half' } as object),
    })
    if (response.status >= 400) {
      throw new ProblemAnswer(`${route.method} ${route.path}`, response, Problem.parse(await response.json()))
    }
    return (await readAnswer(route, response)) as CallOutput<R>
  }
}

async function readAnswer(route: Route, response: Response): Promise<unknown> {
  const kind = route.response
  switch (kind.kind) {
    case 'json':
    case 'session':
      return kind.schema.parse(await response.json())
    case 'accepted': {
      const schema = response.status === 202 ? kind.accepted : kind.schema
      return { status: response.status, body: schema.parse(await response.json()) }
    }
    default:
      return response
  }
}
