import ssh2 from 'ssh2'

export interface KeyPair {
  /** One line: `ssh-ed25519 AAAA… comment`. */
  readonly public_key: string
  /** In OpenSSH's format, without a passphrase: to be sealed, and never written to a disk. */
  readonly private_key: string
}

/** A new Ed25519 key with which Reeve signs in to machines. `comment` such as `reeve@admin.example.org`: one line. */
export function makeKeyPair(comment: string): KeyPair {
  const pair = ssh2.utils.generateKeyPairSync('ed25519', { comment: comment.replaceAll(/[^\x21-\x7e]+/g, '-') })
  return { public_key: pair.public, private_key: pair.private }
}
