import { ApiError } from './api-error.ts'
import type { Arguments, Output, RouteKey } from './api-types.ts'
import { KnownAnswers } from './known-answers.ts'

type Session = Output<'GET /api/auth/session'>

let csrfToken = ''
const known = new KnownAnswers()
let onSignedOut: (() => void) | null = null
let onSignInAgain: (() => Promise<boolean>) | null = null

/** The CSRF token that every mutating request carries; provided by sign-in, setup and `GET /api/auth/session`. */
export function setCsrfToken(token: string): void {
  if (token !== csrfToken) known.forget()
  csrfToken = token
}

/** Sets what happens when the server says that nobody is signed in (on any route except sign-in itself). */
export function whenSignedOut(handler: () => void): void {
  onSignedOut = handler
}

/** Has users confirm their identity where the server requires it; false if they decline. */
export function whenSignInAgain(handler: () => Promise<boolean>): void {
  onSignInAgain = handler
}

/**
 * Calls a route of the contract by method and path: `await call('POST /api/chat', { body: { message } })`. Throws
 * ApiError for everything but 2xx, including a missing connection (`network`); an AbortError when aborted.
 */
export async function call<K extends RouteKey>(route: K, ...rest: Arguments<K>): Promise<Output<K>> {
  const given = ((rest as unknown[])[0] ?? {}) as Given
  try {
    return (await request(route, given)) as Output<K>
  } catch (error) {
    if (!(error instanceof ApiError && (await putRight(error)))) throw error
    return (await request(route, given)) as Output<K>
  }
}

/** Whether a refused request, which had no effect, would succeed now. */
async function putRight({ code }: ApiError): Promise<boolean> {
  if (code === 'sign_in_again') return (await onSignInAgain?.()) ?? false
  if (code !== 'csrf_mismatch') return false
  // Another tab has signed in again: the token changed.
  const session = (await request('GET /api/auth/session', {})) as Session
  setCsrfToken(session.csrf_token)
  return true
}

type PathValues = Readonly<Record<string, string | number | boolean | undefined>>

/** Path of a route with its placeholders filled; for links and requests not made by `call`. */
export function pathOf(path: string, params: PathValues = {}, query: PathValues = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size > 0 ? `${filled}?${search}` : filled
}

/** The CSRF header, for requests not made by `call` (an upload with progress). */
export function csrfHeader(): Record<string, string> {
  return { 'X-CSRF-Token': csrfToken }
}

/** Turns a response's status and text into the error it means; also for requests not made by `call`. */
export function toApiError(status: number, text: string, retryAfter: string | null = null): ApiError {
  const problem = parseProblem(text)
  const error = new ApiError({
    status,
    code: problem?.code ?? 'unexpected',
    detail: problem?.detail ?? '',
    errors: problem?.errors,
    retryAfter: retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null,
  })
  if (error.code === 'not_signed_in') {
    known.forget()
    onSignedOut?.()
  }
  return error
}

/** CallOptions of any route, without their types. */
interface Given {
  params?: PathValues
  query?: PathValues
  headers?: Record<string, string>
  body?: unknown
  signal?: AbortSignal
}

async function request(route: string, { params, query, headers, body, signal }: Given): Promise<unknown> {
  const [method = 'GET', path = '/'] = route.split(' ')
  const address = pathOf(path, params, query)
  const before = method === 'GET' ? known.get(address) : undefined
  const raw = body instanceof Blob || body instanceof ArrayBuffer
  const init: RequestInit = {
    method,
    headers: {
      Accept: 'application/json',
      ...(method === 'GET' ? {} : csrfHeader()),
      ...(before && { 'If-None-Match': before.etag }),
      ...(body === undefined ? {} : { 'Content-Type': raw ? 'application/octet-stream' : 'application/json' }),
      ...headers,
    },
    credentials: 'same-origin',
  }
  if (body !== undefined) init.body = raw ? body : JSON.stringify(body)
  if (signal !== undefined) init.signal = signal
  let response: Response
  let text: string
  try {
    response = await fetch(address, init)
    text = await response.text()
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError({ status: 0, code: 'network', detail: '' })
  }
  if (before && response.status === 304) return before.value
  if (!response.ok) throw toApiError(response.status, text, response.headers.get('Retry-After'))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ApiError({ status: response.status, code: 'unexpected', detail: '' })
  }
  const etag = response.headers.get('ETag')
  if (method === 'GET' && etag !== null) known.keep(address, etag, value)
  return value
}

interface ProblemFields {
  code: ApiError['code']
  detail: string
  errors?: { path: string; message: string }[]
}

function parseProblem(text: string): ProblemFields | null {
  try {
    const value = JSON.parse(text) as Partial<ProblemFields> | null
    return typeof value?.code === 'string' && typeof value.detail === 'string' ? (value as ProblemFields) : null
  } catch {
    return null
  }
}
