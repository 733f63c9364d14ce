import { GuardedFetchError, openGuardedFetch } from '../../../server/kernel/network/guarded-fetch.ts'
import type { HttpSettings } from '../http-settings.ts'
import { allowedUrl } from './allowed-url.ts'

const REDIRECT_LIMIT = 8
const REDIRECTS = [301, 302, 303, 307, 308]
/** The caller's headers that may be sent on when a redirect leads to another origin. */
const HARMLESS = ['accept', 'accept-language']

export interface HttpRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string | null
}
export interface HttpAnswer {
  readonly url: URL
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** Every address requested, in order, with its status. */
  readonly hops: readonly { url: string; status: number }[]
  /** Milliseconds until the response began and until it was complete. */
  readonly first_ms: number
  readonly total_ms: number
}

/**
 * Sends a request and follows redirects, checking every address against the settings and by what it resolves to. The
 * caller's headers go only to the first origin, a header of the settings only to its own.
 * @throws {Error} with a sentence, or the signal's reason when it is aborted
 */
export async function sendRequest(
  request: HttpRequest,
  settings: HttpSettings,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  await using guard = openGuardedFetch({
    allowPrivate: settings.allowPrivate,
    maxBytes: settings.maxBytes,
    connect_ms: settings.timeoutMs,
    headers_ms: settings.timeoutMs,
    idle_ms: settings.timeoutMs,
    ...(settings.lookup === undefined ? {} : { lookup: settings.lookup }),
  })
  const started = performance.now()
  const elapsed = () => Math.round(performance.now() - started)
  const deadline = AbortSignal.timeout(settings.timeoutMs)
  const either = AbortSignal.any([signal, deadline])
  const first = allowedUrl(request.url, null, settings)
  const hops: { url: string; status: number }[] = []
  let url = first
  let { method, body } = request
  try {
    for (;;) {
      const headers = headersFor(url, url.origin === first.origin, request, settings)
      if (body === null) for (const name of ['content-type', 'content-encoding']) headers.delete(name)
      const response = await guard.fetch(url, {
        method,
        headers,
        body: body as RequestInit['body'],
        redirect: 'manual',
        signal: either,
      })
      const { status, statusText } = response
      hops.push({ url: url.href, status })
      const location = response.headers.get('location')
      if (!REDIRECTS.includes(status) || location === null) {
        const first_ms = elapsed()
        const bytes = new Uint8Array(await response.arrayBuffer())
        return { url, status, statusText, headers: response.headers, bytes, hops, first_ms, total_ms: elapsed() }
      }
      await response.body?.cancel()
      if (hops.length > REDIRECT_LIMIT) throw new Error(`${first.host} leads from one address to the next without end.`)
      const next = allowedUrl(location, url, settings)
      if (url.protocol === 'https:' && next.protocol === 'http:')
        throw new Error(`${url.host} leads from https to http, which is not followed.`)
      if (body !== null && status !== 303 && next.origin !== url.origin && method !== 'GET')
        throw new Error(`${url.host} wants the data to be sent to ${next.host} instead. Ask for that address itself.`)
      if (status === 303 || (status < 303 && method === 'POST')) {
        if (method !== 'HEAD') method = 'GET'
        body = null
      }
      url = next
    }
  } catch (error) {
    signal.throwIfAborted()
    if (deadline.aborted)
      throw new Error(`${url.host} did not answer within ${settings.timeoutMs / 1000} s.`, { cause: error })
    if (error instanceof GuardedFetchError && error.code === 'forbidden_address' && !settings.allowPrivate) {
      throw new Error(`${error.message} An administrator can allow it in the settings of the module.`, { cause: error })
    }
    throw error
  }
}

function headersFor(url: URL, first: boolean, request: HttpRequest, settings: HttpSettings): Headers {
  const headers = new Headers({ 'user-agent': settings.userAgent, accept: '*/*' })
  for (const [name, value] of Object.entries(request.headers))
    if (first || HARMLESS.includes(name.toLowerCase())) headers.set(name, value)
  for (const { origin, name, value } of settings.hostHeaders) if (origin === url.origin) headers.set(name, value)
  return headers
}
