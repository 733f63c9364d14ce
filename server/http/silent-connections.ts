import type { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Connections that have asked nothing yet, such as those that browsers open in advance. Node counts them as busy, so a
 * server that closes would wait for them. Returns the function that ends those there are now.
 */
export function trackSilentConnections(server: EventEmitter, tls: boolean): () => void {
  const silent = new Set<Socket>()
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(socket))
  return () => {
    for (const socket of silent) socket.destroy()
  }
}
