import { openGuardedFetch } from '../../kernel/network/guarded-fetch.ts'
import { say } from '../../kernel/sentence.ts'
import { StderrTail } from './stderr-tail.ts'
import type { ModuleExit, ModuleLink } from './module-link.ts'

/** Limit of one answer or stream, unpacked; the client reopens a stream that goes over it. */
const ANSWER_BYTES = 32 * 1024 * 1024

export interface RemoteOptions {
  /** http or https. */
  readonly url: string
  /** Sent as `Authorization: Bearer …`, to the origin of `url` only. */
  readonly token: string | null
  readonly allow_private: boolean
  readonly signal: AbortSignal
}

/** Links a module on another machine over Streamable HTTP. Sends nothing before the client connects. */
export async function openRemote({ url, token, allow_private }: RemoteOptions): Promise<ModuleLink> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const address = new URL(url)
  // Each call has its own deadline for the answer, and a stream may be silent for hours.
  const guarded = openGuardedFetch({ allowPrivate: allow_private, maxBytes: ANSWER_BYTES, headers_ms: 0, idle_ms: 0 })
  const told = new StderrTail()
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
    isolation: { level: 'remote', reason: say`It runs on another machine and sees what is sent to it.` },
    process: () => null,
    stderr: () => told.lines(),
    note: (line) => told.told(line),
    gone: gone.promise,
    async close() {
      // Ends the session of a server that keeps one; a server that doesn't answer must not delay the close.
      await Promise.race([
        transport.terminateSession().catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, 1000).unref()),
      ])
      await transport.close().catch(() => undefined)
      await guarded[Symbol.asyncDispose]()
      gone.resolve({ code: null, signal: null, reason: say`The connection was closed.` })
    },
  }
}
