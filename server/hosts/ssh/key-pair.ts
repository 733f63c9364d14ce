import ssh2 from 'ssh2'

export interface KeyPair {
  /** One line: `ssh-ed25519 AAAA… comment`. */
  readonly public_key: string
  /** In OpenSSH's format, without a passphrase: to be sealed, and never written to a disk. */
  readonly private_key: string
}

/** Bytes of an Ed25519 public key in OpenSSH's format: two lengths, the name of the algorithm, the key. */
const WHOLE = 4 + 'ssh-ed25519'.length + 4 + 32

/** A new Ed25519 key with which Reeve signs in to machines. `comment` such as `reeve@admin.example.org`: one line. */
export function makeKeyPair(comment: string): KeyPair {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519', { comment: comment.replaceAll(/[^\x21-\x7e]+/g, '-') })
    // ssh2 1.17 drops a first byte that is zero, of one key in 256: nobody else takes such a key.
    const bytes = Buffer.from(pair.public.split(' ')[1]!, 'base64')
    if (bytes.length === WHOLE) return { public_key: pair.public, private_key: pair.private }
  }
}
