import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Tracks connections that have sent no request yet, such as those browsers open in advance, or that are still in their
 * TLS handshake. Node counts them as busy, so a closing server would wait for them. Returns a function that closes the
 * current ones.
 */
export function trackSilentConnections(server: EventEmitter): () => void {
  // Keyed by the remote address: an HTTPS request knows only the socket layered over the accepted one.
  const silent = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket)
    silent.set(peer, socket)
    socket.once('close', () => {
      if (silent.get(peer) === socket) silent.delete(peer)
    })
  })
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(peerOf(socket)))
  return () => {
    for (const socket of silent.values()) socket.destroy()
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
