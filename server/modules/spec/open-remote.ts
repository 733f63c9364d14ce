import { type GuardedFetch, openGuardedFetch } from '../../kernel/network/guarded-fetch.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { eventsWithin } from './events-within.ts'
import { StderrTail } from './stderr-tail.ts'
import type { ModuleExit, ModuleLink } from './module-link.ts'
import { ModuleProblem } from './module-problem.ts'
import { type RemoteAccess, withAccess } from './remote-access.ts'
import { refusals } from './remote-refusals.ts'

/** Limit of one answer or stream, unpacked; the client reopens a stream that goes over it. */
const ANSWER_BYTES = 32 * 1024 * 1024
const END_MS = 1000

export interface RemoteOptions {
  /** http or https. */
  readonly url: string
  /** Sent as `Authorization: Bearer …`, to the origin of `url` only, like everything below. */
  readonly token: string | null
  /** Headers of one's own, by name. */
  readonly headers?: ReadonlyMap<string, string>
  /** The tokens of a connection by OAuth, in place of `token`. */
  readonly access?: RemoteAccess
  readonly allow_private: boolean
  readonly signal: AbortSignal
}

/** Links a module on another machine over Streamable HTTP. Sends nothing before the client connects. */
export async function openRemote(options: RemoteOptions): Promise<ModuleLink> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  // Each call has its own deadline for the answer, and a stream may be silent for hours.
  const guarded = open(options, ANSWER_BYTES)
  const transport = new StreamableHTTPClientTransport(new URL(options.url), {
    fetch: refusals(sending(guarded, options)),
  })
  return remoteLink(transport, guarded, Promise.withResolvers<ModuleExit>(), async () => {
    // Ends the session of a server that keeps one; a server that doesn't answer must not delay the close.
    await Promise.race([
      transport.terminateSession().catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, END_MS).unref()),
    ])
  })
}

/**
 * Links a module that speaks only the transport before Streamable HTTP: one stream of events for everything that it says.
 * The stream is the connection: once it ends, so does the link, because a new stream would be another session.
 */
export async function openRemoteEvents(options: RemoteOptions): Promise<ModuleLink> {
  const { SSEClientTransport } = await import('@modelcontextprotocol/client')
  const guarded = open(options, Infinity)
  const send = sending(guarded, options)
  const gone = Promise.withResolvers<ModuleExit>()
  let closing = false
  const transport = new SSEClientTransport(new URL(options.url), {
    async fetch(input, init) {
      const answer = await send(input, init)
      if ((init?.method ?? 'GET') !== 'GET') {
        if (answer.ok) return answer
        await answer.body?.cancel()
        throw Object.assign(new Error(`HTTP ${answer.status}`), { status: answer.status })
      }
      if (!answer.ok || answer.body === null) return answer
      const { status, headers } = answer
      const stream = answer.body.pipeThrough(eventsWithin(ANSWER_BYTES, ended))
      return Object.defineProperty(new Response(stream, { status, headers }), 'url', { value: answer.url })
    },
  })
  const ended = (reason: Sentence) => {
    if (closing) return
    closing = true
    gone.resolve({ code: null, signal: null, reason })
    void transport.close().catch(() => undefined)
  }
  // A stream that ends before it named the address to post to would be waited for.
  const start = transport.start.bind(transport)
  transport.start = () =>
    Promise.race([start(), gone.promise.then(({ reason }) => Promise.reject(new ModuleProblem(reason)))])
  return remoteLink(transport, guarded, gone, () => {
    closing = true
    return Promise.resolve()
  })
}

function open({ allow_private }: RemoteOptions, maxBytes: number): GuardedFetch {
  return openGuardedFetch({ allowPrivate: allow_private, maxBytes, headers_ms: 0, idle_ms: 0 })
}

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/** Adds what proves who is calling, for the server's origin alone. */
function sending(guarded: GuardedFetch, { url, token, headers: own, access }: RemoteOptions): Fetch {
  const { origin } = new URL(url)
  const send = (input: string | URL, init: RequestInit | undefined, bearer: string | null) => {
    const headers = new Headers(init?.headers)
    headers.delete('authorization')
    if (new URL(input).origin === origin) {
      for (const [name, value] of own ?? []) headers.set(name, value)
      if (bearer !== null) headers.set('authorization', `Bearer ${bearer}`)
    }
    return guarded.fetch(input, { ...init, headers })
  }
  return access === undefined ? (input, init) => send(input, init, token) : withAccess(access, send)
}

function remoteLink(
  transport: ModuleLink['transport'],
  guarded: GuardedFetch,
  gone: PromiseWithResolvers<ModuleExit>,
  beforeClose: () => Promise<void>,
): ModuleLink {
  const told = new StderrTail()
  return {
    transport,
    isolation: { level: 'remote', reason: say`It runs on another machine and sees what is sent to it.` },
    process: () => null,
    stderr: () => told.lines(),
    note: (line) => told.told(line),
    gone: gone.promise,
    async close() {
      await beforeClose()
      await transport.close().catch(() => undefined)
      await guarded[Symbol.asyncDispose]()
      gone.resolve({ code: null, signal: null, reason: say`The connection was closed.` })
    },
  }
}
