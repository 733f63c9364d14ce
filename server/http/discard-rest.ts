import type { IncomingMessage } from 'node:http'

const PATIENCE_MS = 30_000

/**
 * Throws away what is left of a request body, so that a client which is still sending can read why it was refused;
 * one that goes on sending is cut off.
 */
export function discardRest(message: IncomingMessage): void {
  if (message.readableEnded || message.destroyed) return
  message.resume()
  if (message.complete) return
  const timer = setTimeout(() => message.destroy(), PATIENCE_MS)
  message.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer))
}
