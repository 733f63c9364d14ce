import { createHash } from 'node:crypto'

/**
 * SHA-256 in hex: the form in which cookies, tokens and setup links are stored. No salt is needed, since each has 256
 * random bits.
 */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
