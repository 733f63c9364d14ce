import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Connections that have asked nothing yet, such as those that browsers open in advance, or that are still in their TLS
 * handshake. Node counts them as busy, so a server that closes would wait for them. Returns the function that ends
 * those there are now.
 */
export function trackSilentConnections(server: EventEmitter): () => void {
  // By the address of the other end: a request of HTTPS knows only the socket that was made over the one that was accepted.
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
