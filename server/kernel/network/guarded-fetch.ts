import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import { addressKind } from './address-kind.ts'
import { say, type Sentence } from '../sentence.ts'

export interface GuardedFetchOptions {
  /**
   * Whether addresses of this machine and of private networks are allowed; metadata services and multicast never are.
   */
  readonly allowPrivate: boolean | ((host: string, address: string, port: string) => boolean)
  /** Whether plain http is refused, wherever a redirect leads. */
  readonly httpsOnly?: boolean
  /** Maximum size of one answer after decompression, in bytes; 16 MiB unless given. */
  readonly maxBytes?: number
  /** Maximum number of redirects per request; 5 unless given. */
  readonly maxRedirects?: number
  /**
   * Milliseconds until a connection is established (10,000), until an answer begins (60,000), and between two parts of
   * it (60,000); 0: no limit.
   */
  readonly connect_ms?: number
  readonly headers_ms?: number
  readonly idle_ms?: number
  /** Resolves a host name; the system's resolver unless given. */
  readonly lookup?: (host: string) => Promise<readonly { address: string; family: number }[]>
}

export interface GuardedFetch extends AsyncDisposable {
  /** Like the platform's fetch. Rejects with a GuardedFetchError, or with the reason of its signal. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
}

/** Why a request was not made or failed. `detail` is for a person; `message` is its English. */
export class GuardedFetchError extends Error {
  override readonly name = 'GuardedFetchError'
  readonly code: 'bad_address' | 'forbidden_address' | 'redirects' | 'too_large' | 'timeout' | 'unreachable'
  readonly detail: Sentence

  constructor(code: GuardedFetchError['code'], detail: Sentence, options?: ErrorOptions) {
    super(detail.toString(), options)
    this.code = code
    this.detail = detail
  }
}

const REDIRECTS = [301, 302, 303, 307, 308]
const WITHOUT_BODY = [101, 204, 205, 304]
/** Headers that may be sent on to another origin: none of them identifies the sender. */
const HARMLESS = ['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent']

/**
 * A fetch for addresses given by outsiders. The address actually connected to is judged, after name resolution, so no
 * spelling, redirect or second DNS answer leads into a private network.
 */
export function openGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { maxBytes = 16 * 1024 * 1024, maxRedirects = 5, httpsOnly = false } = options
  let opened: Promise<Agent> | null = null

  /** Loaded by the first request, because most services never make one. */
  async function openAgent(): Promise<Agent> {
    const undici = await import('undici')
    return new undici.Agent({
      connect: guardedConnector(options, undici.buildConnector),
      headersTimeout: options.headers_ms ?? 60_000,
      bodyTimeout: options.idle_ms ?? 60_000,
    })
  }

  async function once(url: URL, init: RequestInit): Promise<Response> {
    const dispatcher: Dispatcher = await (opened ??= openAgent())
    try {
      const { fetch } = await import('undici')
      // The two declarations of fetch differ in names only.
      const answer: unknown = await fetch(url, { ...init, redirect: 'manual', dispatcher } as never)
      return answer as Response
    } catch (error) {
      throw init.signal?.aborted ? error : explain(error, url)
    }
  }

  async function guarded(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const request = input instanceof Request ? await fromRequest(input, init) : { url: input, init }
    let url = httpUrl(request.url, httpsOnly)
    let current = request.init
    for (let hop = 0; ; hop++) {
      const answer = await once(url, current)
      const location = answer.headers.get('location')
      if (!REDIRECTS.includes(answer.status) || location === null || (current.redirect ?? 'follow') === 'manual')
        return bounded(answer, url, maxBytes, hop > 0)
      await answer.body?.cancel()
      if (current.redirect === 'error' || hop >= maxRedirects)
        throw new GuardedFetchError('redirects', say`${url.host} redirects too often.`)
      const next = httpUrl(new URL(location, url), httpsOnly)
      current = redirected(current, answer.status, next.origin === url.origin)
      url = next
    }
  }

  return { fetch: guarded, [Symbol.asyncDispose]: async () => (await opened)?.destroy() }
}

function guardedConnector(options: GuardedFetchOptions, build: typeof buildConnector): buildConnector.connector {
  const { allowPrivate, lookup = (host: string) => systemLookup(host, { all: true }) } = options
  const allowed = (host: string, address: string, port: string) => {
    const kind = addressKind(address)
    if (kind !== 'private') return kind === 'public'
    return typeof allowPrivate === 'boolean' ? allowPrivate : allowPrivate(host, address, port)
  }
  const connect = build({ timeout: options.connect_ms ?? 10_000, autoSelectFamily: true })
  return (target, settle) => {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    const port = target.port === '' ? (target.protocol === 'https:' ? '443' : '80') : target.port
    const found = isIP(host) === 0 ? lookup(host) : Promise.resolve([{ address: host, family: isIP(host) }])
    found.then(
      (addresses) => {
        const open = addresses.filter(({ address }) => allowed(host, address, port))
        if (open.length === 0) {
          const why =
            addresses.length === 0
              ? say`${host} has no address.`
              : say`${host} leads to this machine or to a private network, which is not allowed here.`
          return settle(new GuardedFetchError('forbidden_address', why), null)
        }
        // The judged address itself is connected to, so nothing is resolved a second time. The name remains for TLS.
        const servername = isIP(host) === 0 ? { servername: host } : {}
        const attempt = (index: number): void =>
          connect({ ...target, hostname: open[index]!.address, ...servername }, (...outcome) =>
            outcome[0] !== null && index + 1 < open.length ? attempt(index + 1) : settle(...outcome),
          )
        attempt(0)
      },
      (error: unknown) => settle(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

async function fromRequest(request: Request, init: RequestInit): Promise<{ url: string; init: RequestInit }> {
  const { method, headers, redirect, signal } = request
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer())
  return { url: request.url, init: { method, headers, redirect, signal, body, ...init } }
}

function httpUrl(address: string | URL, httpsOnly: boolean): URL {
  const url = URL.canParse(String(address)) ? new URL(address) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new GuardedFetchError('bad_address', say`Only http and https addresses can be fetched.`)
  if (httpsOnly && url.protocol !== 'https:')
    throw new GuardedFetchError('bad_address', say`${url.host} is to be asked by plain http, which is not done here.`)
  if (url.username !== '' || url.password !== '')
    throw new GuardedFetchError('bad_address', say`An address must not contain a user name or password.`)
  return url
}

/** The request as it is sent on to a redirect's target. */
function redirected(init: RequestInit, status: number, sameOrigin: boolean): RequestInit {
  const { method = 'GET', body, ...rest } = init
  const headers = new Headers(init.headers)
  if (!sameOrigin) for (const name of Array.from(headers.keys())) if (!HARMLESS.includes(name)) headers.delete(name)
  if (status === 303 || (status < 303 && method.toUpperCase() === 'POST')) {
    headers.delete('content-type')
    return { ...rest, method: method.toUpperCase() === 'HEAD' ? 'HEAD' : 'GET', headers }
  }
  if (body instanceof ReadableStream)
    throw new GuardedFetchError('redirects', say`The address has moved, and the request cannot be sent a second time.`)
  return { ...rest, method, headers, ...(body === undefined ? {} : { body }) }
}

function bounded(answer: Response, url: URL, maxBytes: number, wasRedirected: boolean): Response {
  const tooLarge = () =>
    new GuardedFetchError('too_large', say`The answer of ${url.host} is larger than ${Math.ceil(maxBytes / 1024)} KiB.`)
  let left = maxBytes
  const counted = answer.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.byteLength
        if (left < 0) throw tooLarge()
        controller.enqueue(chunk)
      },
    }),
  )
  const { status, statusText } = answer
  const headers = new Headers([...answer.headers])
  const response = new Response(WITHOUT_BODY.includes(status) ? null : (counted ?? null), {
    status,
    statusText,
    headers,
  })
  Object.defineProperties(response, { url: { value: url.href }, redirected: { value: wasRedirected } })
  return response
}

function explain(error: unknown, url: URL): GuardedFetchError {
  let inner = error
  while (inner instanceof Error && !(inner instanceof GuardedFetchError) && inner.cause !== undefined)
    inner = inner.cause
  if (inner instanceof GuardedFetchError) return inner
  const code = inner instanceof Error && 'code' in inner ? String(inner.code) : ''
  if (/TIMEOUT|ETIMEDOUT/.test(code))
    return new GuardedFetchError('timeout', say`${url.host} did not answer in time.`, { cause: error })
  const detail =
    code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? say`${url.host} cannot be reached: its name is not known.`
      : code === ''
        ? say`${url.host} cannot be reached: the connection failed.`
        : say`${url.host} cannot be reached: ${code}.`
  return new GuardedFetchError('unreachable', detail, { cause: error })
}
