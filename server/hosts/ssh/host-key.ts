import { createHash } from 'node:crypto'

/** The kinds of host keys that are accepted, and the signatures by them: none with SHA-1, so no DSA. */
const ALGORITHMS = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
} as const

export type KeyType = keyof typeof ALGORITHMS
export type KeyAlgorithm = (typeof ALGORITHMS)[KeyType][number]

export const KEY_TYPES = Object.keys(ALGORITHMS) as readonly KeyType[]

export function algorithmsOf(type: KeyType): readonly KeyAlgorithm[] {
  return ALGORITHMS[type]
}

/** `SHA256:…`, as `ssh-keygen -l` prints it. */
export function fingerprintOf(key: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

/**
 * A host key from what a person or a row gives: base64 of its bytes, or the line of a `.pub` file or of `ssh-keyscan`
 * around it. Null when there is none in it, or one of a kind that is not accepted.
 */
export function readHostKey(text: string): { type: KeyType; bytes: Buffer } | null {
  for (const word of text.trim().split(/\s+/)) {
    const bytes = Buffer.from(word, 'base64')
    if (bytes.length < 40 || bytes.toString('base64') !== word) continue
    const type = bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString('latin1')
    if (Object.hasOwn(ALGORITHMS, type) && fieldsFill(bytes)) return { type: type as KeyType, bytes }
  }
  return null
}

/** Whether it is made of fields, each with its length before it, and nothing else. */
function fieldsFill(bytes: Buffer): boolean {
  let at = 0
  while (at + 4 <= bytes.length) at += 4 + bytes.readUInt32BE(at)
  return at === bytes.length
}
