import { createHash } from 'node:crypto'

/** SHA-256 in hex: how cookies, tokens and setup links are kept. Enough without salt, since each has 256 random bits. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
