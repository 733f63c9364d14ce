import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What a server sends to one request, byte by byte. */
export interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  /** An object is sent as JSON. */
  readonly body?: string | object
  /** Cuts the connection after the body; without one, before anything is sent. */
  readonly cut?: true
  /** What happens before it is sent. */
  readonly after?: () => Promise<unknown>
}

export interface BytesServer extends AsyncDisposable {
  readonly origin: string
  /** What comes to a request that holds the cue (the newest of several), in order. Returns the bodies as they come. */
  play(cue: string, replies: readonly Reply[], otherwise: Reply): readonly Asked[]
}

export interface Asked {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Record<string, unknown>
}

/** A server that knows no wire at all: a test says which bytes it sends. */
export async function startBytesServer(): Promise<BytesServer> {
  const parts = new Map<string, { replies: readonly Reply[]; otherwise: Reply; asked: Asked[] }>()
  const server = createServer((incoming, response) => {
    void text(incoming).then(async (sent) => {
      const cue = [...parts.keys()].findLast((known) => sent.includes(known))
      const part = cue === undefined ? undefined : parts.get(cue)
      if (part === undefined) return void response.writeHead(418).end('no such scenario')
      const body = JSON.parse(sent) as Record<string, unknown>
      const at = part.asked.push({ path: incoming.url ?? '', headers: incoming.headers, body }) - 1
      const reply = part.replies[at] ?? part.otherwise
      await reply.after?.()
      send(response, reply)
    })
  })
  // An idle connection that is ended at the moment it is used again would be one more oddity than a scenario has.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play(cue, replies, otherwise) {
      const asked: Asked[] = []
      parts.set(cue, { replies, otherwise, asked })
      return asked
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function send(response: ServerResponse, { status = 200, headers, body = '', cut }: Reply): void {
  const bytes = typeof body === 'string' ? body : JSON.stringify(body)
  if (cut && bytes === '') return void response.destroy()
  const type = typeof body === 'string' ? 'text/event-stream' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers })
  // What was written before a cut goes out first: a destroyed socket drops what it still holds.
  if (cut) response.write(bytes, () => response.destroy())
  else response.end(bytes)
}
