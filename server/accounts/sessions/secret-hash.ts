import { createHash } from 'node:crypto'

/**
 * SHA-256 in hex: the form in which cookies, tokens and setup links are stored. No salt is needed, since each has 256
 * random bits.
 */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/**
 * The same of an access token, by where it counts. One for MCP clients is found under a hash of its own: a process of a
 * version that knows no audiences looks for another, and does not take it for a token of the interface.
 */
export function tokenHash(token: string, audience: 'api' | 'mcp'): string {
  return secretHash(audience === 'mcp' ? `mcp:${token}` : token)
}
