import { openGuardedFetch } from '../kernel/guarded-fetch.ts'
import type { ModuleExit, ModuleLink } from './module-link.ts'

/** Of one answer or stream, unpacked; a stream that is larger is opened again by the client. */
const ANSWER_BYTES = 32 * 1024 * 1024

export interface RemoteOptions {
  /** http or https. */
  readonly url: string
  /** Sent as `Authorization: Bearer …`, to the origin of `url` only. */
  readonly token: string | null
  readonly allow_private: boolean
  readonly signal: AbortSignal
}

/** Links a module on another machine over Streamable HTTP. Nothing is sent before the client connects. */
export async function openRemote({ url, token, allow_private }: RemoteOptions): Promise<ModuleLink> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const address = new URL(url)
  // How long an answer may take is for the deadline of each call to say; a stream may be silent for hours.
  const guarded = openGuardedFetch({ allowPrivate: allow_private, maxBytes: ANSWER_BYTES, headers_ms: 0, idle_ms: 0 })
  const gone = Promise.withResolvers<ModuleExit>()
  const transport = new StreamableHTTPClientTransport(address, {
    fetch(input, init) {
      const headers = new Headers(init?.headers)
      headers.delete('authorization')
      if (token !== null && new URL(input).origin === address.origin) headers.set('authorization', `Bearer ${token}`)
      return guarded.fetch(input, { ...init, headers })
    },
  })
  return {
    transport,
    isolation: { level: 'remote', reason: 'It runs on another machine and sees what is sent to it.' },
    process: () => null,
    stderr: () => [],
    gone: gone.promise,
    async close() {
      // Tells a server that keeps sessions; one that does not answer keeps nobody waiting.
      await Promise.race([
        transport.terminateSession().catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, 1000).unref()),
      ])
      await transport.close().catch(() => undefined)
      await guarded[Symbol.asyncDispose]()
      gone.resolve({ code: null, signal: null, reason: 'The connection was closed.' })
    },
  }
}
