import { Agent, createServer, request, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Which replica answered; `none`: the balancer itself did. */
export const ANSWERED_BY = 'x-cluster-replica'
/** Asks for this replica, whatever is known of it. */
export const ONLY = 'x-cluster-only'

const LOOK_EVERY_MS = 500
/** As long as a check waits; two in vain, and nothing is sent there any more. */
const LOOK_LIMIT_MS = 2500

interface Backend {
  readonly name: number
  readonly port: number
  readonly agent: Agent
  readonly open: Set<ClientRequest>
  ready: boolean
  misses: number
  looking: boolean
}

/** What stands in front of the replicas, as haproxy would: one address, round robin, only to those that are ready. */
export interface Balancer extends AsyncDisposable {
  readonly url: string
  /** Names of those that get requests now. */
  readonly ready: readonly number[]
  look(): Promise<void>
}

/** `tell` hears of each change, with the status of `/readyz` that made it; null: no answer. */
export async function openBalancer(
  replicas: readonly { name: number; port: number }[],
  tell: (replica: number, ready: boolean, status: number | null) => void = () => undefined,
): Promise<Balancer> {
  const backends = replicas.map(({ name, port }): Backend => {
    const agent = new Agent({ keepAlive: true })
    return { name, port, agent, open: new Set(), ready: false, misses: 0, looking: false }
  })
  let turn = 0

  async function look(backend: Backend): Promise<void> {
    if (backend.looking) return
    backend.looking = true
    const status = await ask(backend.port)
    backend.looking = false
    const before = backend.ready
    backend.misses = status === 200 ? 0 : backend.misses + 1
    if (status === 200) backend.ready = true
    // It says itself that it is not ready: what it has begun, it ends.
    else if (status !== null) backend.ready = false
    else if (backend.misses >= 2) {
      backend.ready = false
      for (const request of backend.open) request.destroy(new Error('silent'))
    }
    if (backend.ready !== before) tell(backend.name, backend.ready, status)
  }

  function choose(tried: ReadonlySet<Backend>, only: string | undefined): Backend | undefined {
    if (only !== undefined) return backends.find(({ name }) => String(name) === only && tried.size === 0)
    const usable = backends.filter((backend) => backend.ready && !tried.has(backend))
    return usable[turn++ % usable.length]
  }

  function forward(incoming: IncomingMessage, response: ServerResponse, tried: Set<Backend>): void {
    const backend = choose(tried, incoming.headers[ONLY] as string | undefined)
    if (backend === undefined) return away(response, 503)
    tried.add(backend)
    const { method, url, headers } = incoming
    const outgoing = request({
      host: '127.0.0.1',
      port: backend.port,
      agent: backend.agent,
      method,
      path: url,
      headers,
    })
    backend.open.add(outgoing)
    outgoing.once('close', () => backend.open.delete(outgoing))
    outgoing.once('response', (answer) => {
      response.writeHead(answer.statusCode!, { ...answer.headers, [ANSWERED_BY]: String(backend.name) })
      response.flushHeaders()
      answer.pipe(response)
      answer.on('error', () => response.destroy())
      answer.on('close', () => answer.complete || response.destroy())
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent || response.destroyed) return void response.destroy()
      // Refused: it has not seen anything of the request.
      if (error.code === 'ECONNREFUSED') {
        backend.ready = false
        if (incoming.readableEnded === false && incoming.listenerCount('data') > 0) incoming.unpipe()
        return forward(incoming, response, tried)
      }
      away(response, 502, String(backend.name), error.message)
    })
    response.once('close', () => {
      if (!response.writableFinished) outgoing.destroy()
    })
    // A body waits until there is a connection: one that was refused has taken nothing of it.
    outgoing.once('socket', (socket) => {
      const send = (): void => void incoming.pipe(outgoing)
      if (socket.connecting) socket.once('connect', send)
      else send()
    })
  }

  const server = createServer((incoming, response) => forward(incoming, response, new Set()))
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const timer = setInterval(() => void Promise.all(backends.map(look)), LOOK_EVERY_MS)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get ready() {
      return backends.filter(({ ready }) => ready).map(({ name }) => name)
    },
    look: async () => void (await Promise.all(backends.map(look))),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      for (const { agent, open } of backends) {
        for (const request of open) request.destroy()
        agent.destroy()
      }
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** The status of `/readyz`; null when there is no answer. */
function ask(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? null)
    })
    asked.setTimeout(LOOK_LIMIT_MS, () => asked.destroy())
    asked.once('error', () => resolve(null))
    asked.once('close', () => resolve(null))
    asked.end()
  })
}

function away(response: ServerResponse, status: 502 | 503, by = 'none', why = 'no replica is ready'): void {
  const headers = {
    'content-type': 'text/plain',
    'retry-after': '1',
    [ANSWERED_BY]: by,
    'x-cluster-away': why.replaceAll(/[^ -~]/g, ' '),
  }
  response.writeHead(status, headers).end('No replica answers.\n')
}
