import { EngineError } from '../chat/ports/model.ts'
import { GuardedFetchError, openGuardedFetch } from '../kernel/network/guarded-fetch.ts'
import { say } from '../kernel/sentence.ts'

/** Limit for one answer: a stream spends some hundred bytes on every token. */
const ANSWER_BYTES = 512 * 1024 * 1024

/**
 * fetch with two deadlines: one until the first byte of the answer's body, one between any two pieces of it. It watches
 * bytes, so a provider's keep-alive comments hold a slow answer open; the SDK's parts would not show those. A missed
 * deadline closes the connection and is an EngineError `engine_timeout`; a broken connection is `engine_cut`. Engines may be on this machine or in private
 * networks, but never where clouds hand out credentials, and the key follows no redirect.
 */
export function watchedFetch(limits: {
  timeout_ms: number
  idle_timeout_ms: number
  /** Of one answer. */
  maxBytes?: number
}): typeof fetch {
  const { maxBytes = ANSWER_BYTES } = limits
  const guarded = openGuardedFetch({ allowPrivate: true, maxBytes, headers_ms: 0, idle_ms: 0 })
  return async (input, init) => {
    const stop = new AbortController()
    const within = (milliseconds: number) => setTimeout(() => stop.abort(tooSlow(milliseconds)), milliseconds)
    const first = within(limits.timeout_ms)
    try {
      const signal = init?.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal
      const response = await guarded.fetch(input, { ...init, signal, redirect: 'manual' })
      if (response.status >= 300 && response.status < 400) throw await redirected(response)
      if (response.body !== null)
        return new Response(
          watched(response.body, first, () => within(limits.idle_timeout_ms)),
          response,
        )
      clearTimeout(first)
      return response
    } catch (error) {
      clearTimeout(first)
      throw error
    }
  }
}

/** The clock runs only while waiting for a piece: a slow reader must not count as the provider's delay. */
function watched(
  body: ReadableStream<Uint8Array>,
  first: NodeJS.Timeout,
  next: () => NodeJS.Timeout,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let timer: NodeJS.Timeout | null = first
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      timer ??= next()
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        controller.error(brokenOff(error))
      } finally {
        clearTimeout(timer)
        timer = null
      }
    },
    async cancel(reason) {
      if (timer !== null) clearTimeout(timer)
      await reader.cancel(reason)
    },
  })
}

async function redirected(response: Response): Promise<EngineError> {
  await response.body?.cancel()
  const to = response.headers.get('location') ?? ''
  const detail = URL.canParse(to, response.url)
    ? say`The address of the AI engine redirects to ${new URL(to, response.url).origin}. An administrator must enter the engine's actual address.`
    : say`The address of the AI engine redirects elsewhere. An administrator must enter the engine's actual address.`
  return new EngineError('engine_redirect', detail)
}

function tooSlow(milliseconds: number): EngineError {
  const waited = milliseconds / 1000
  return new EngineError('engine_timeout', say`The AI engine sent nothing for ${waited} seconds.`, { waited })
}

/** A connection that breaks while the body is read; what already says more is left as it is. */
function brokenOff(error: unknown): unknown {
  if (error instanceof EngineError || error instanceof GuardedFetchError) return error
  return error instanceof Error && error.name === 'TypeError'
    ? new EngineError('engine_cut', say`The AI engine broke off in the middle of its answer.`)
    : error
}
