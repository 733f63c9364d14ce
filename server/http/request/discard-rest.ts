import type { IncomingMessage } from 'node:http'

const PATIENCE_MS = 30_000

/**
 * Discards the rest of a request body, so that a client still sending can read why it was refused; one that keeps
 * sending is disconnected.
 */
export function discardRest(message: IncomingMessage): void {
  if (message.readableEnded || message.destroyed) return
  message.resume()
  if (message.complete) return
  const timer = setTimeout(() => message.destroy(), PATIENCE_MS)
  message.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
}
