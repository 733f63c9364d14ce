import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import { answerPlainRequest } from './request/plain-request.ts'

/** First byte of a TLS handshake. No HTTP request begins with it. */
const HANDSHAKE = 0x16
const PATIENCE_MS = 10_000

/** What a server identifies itself with: private key and certificates in PEM. */
export interface ServerIdentity {
  readonly key: string
  readonly cert: string
}

export interface TlsPort {
  /** Creates a server that speaks HTTPS and redirects clients that speak plain HTTP on the same port. */
  readonly open: (handler: RequestListener, timing: { keepAlive: number; request: number }) => Server
  /** Applies to connections from now on; open ones keep what they have. */
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
      // After a failed handshake there is no one to answer.
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

/** Inspects the first byte before the handshake: one port for both, because people type addresses without `https:`. */
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
