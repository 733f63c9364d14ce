import { createHash } from 'node:crypto'
import type { HostKey } from '../../contract/hosts.ts'

/** Kinds of host keys that count: SHA-1 and DSA don't. */
const KINDS = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa']
const LINE = new RegExp(`(?:^|\\s)(${KINDS.join('|')}) (AAAA[A-Za-z0-9+/]+={0,2})(?=\\s|$)`, 'g')

/**
 * The one host key in a text: a line of `known_hosts`, of a key file, or of what the setup script printed. @returns its
 * bytes in base64; null where there is none, or more than one
 */
export function keyInText(text: string): string | null {
  const found = new Set([...text.matchAll(LINE)].flatMap(([, kind, key]) => (kindOf(key!) === kind ? [key!] : [])))
  const [only] = found
  return found.size === 1 && only !== undefined ? only : null
}

/** What people compare. `key`: its bytes in base64. */
export function shownKey(key: string): HostKey {
  const digest = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64')
  return { algorithm: kindOf(key) ?? '', fingerprint: `SHA256:${digest.replace(/=+$/, '')}` }
}

/** The kind that a key says it is; null when it is none that counts, or is written in another way than the usual one. */
function kindOf(key: string): string | null {
  const bytes = Buffer.from(key, 'base64')
  if (bytes.toString('base64') !== key || bytes.length < 4) return null
  const length = bytes.readUInt32BE(0)
  const kind = bytes.subarray(4, 4 + length).toString('latin1')
  const rest = bytes.length - 4 - length
  return KINDS.includes(kind) && rest > (kind === 'ssh-ed25519' ? 35 : 60) ? kind : null
}
