import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import { answerPlainRequest } from './plain-request.ts'

/** First byte of a TLS handshake. No HTTP request begins with it. */
const HANDSHAKE = 0x16
const PATIENCE_MS = 10_000

/** What a server shows: private key and certificates in PEM. */
export interface ServerIdentity {
  readonly key: string
  readonly cert: string
}

export interface TlsPort {
  /** Makes a server that speaks HTTPS, and sends who speaks plain HTTP on the same port there. */
  readonly open: (handler: RequestListener, timing: { keepAlive: number; request: number }) => Server
  /** For connections from now on; those that are open keep what they have. */
  use(identity: ServerIdentity): void
}

/** @param patience milliseconds for the first byte, for the handshake, and for a whole plain request */
export function openTlsPort(identity: ServerIdentity, patience = PATIENCE_MS): TlsPort {
  const servers = new Set<Server>()
  let current = identity
  return {
    open(handler, timing) {
      const server = createServer({ ...current, handshakeTimeout: patience }, handler)
      server.keepAliveTimeout = timing.keepAlive
      server.requestTimeout = timing.request
      // A handshake that failed has nobody to answer to.
      server.on('tlsClientError', (_error, socket) => socket.destroy())
      sortConnections(server, patience)
      servers.add(server)
      server.once('close', () => servers.delete(server))
      return server
    },
    use(fresh) {
      current = fresh
      for (const server of servers) server.setSecureContext({ ...fresh })
    },
  }
}

/** Puts a look at the first byte before the handshake: one port for both, as people type addresses without `https:`. */
function sortConnections(server: Server, patience: number): void {
  const shake = server.listeners('connection') as ((socket: Socket) => void)[]
  const plain = createHttpServer(answerPlainRequest)
  plain.on('clientError', (_error, socket) => socket.destroy())
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), patience)
    const failed = () => socket.destroy()
    socket.on('error', failed).once('close', () => clearTimeout(timer))
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null
      if (first === null) return socket.destroy()
      socket.unshift(first)
      if (first[0] !== HANDSHAKE) return plain.emit('connection', socket)
      clearTimeout(timer)
      socket.off('error', failed)
      for (const listener of shake) listener.call(server, socket)
    })
  })
}
