import { generateKeyPairSync, randomBytes } from 'node:crypto'

const KIND = 'ssh-ed25519'

/** A key pair as OpenSSH writes it. */
export interface SshKeyPair {
  /** `ssh-ed25519 AAAA… comment` */
  readonly public_key: string
  /** The bytes of the public key, base64. */
  readonly public_bytes: string
  /** OpenSSH's own format, which is the only one that everybody reads for Ed25519. Never leaves the vault in clear. */
  readonly private_key: string
}

/** A new Ed25519 pair. `comment` is what an administrator reads in `authorized_keys`; without white space. */
export function newSshKey(comment: string): SshKeyPair {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const [open, secret] = [x!, d!].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer]
  const publicBytes = Buffer.concat([text(KIND), block(open)])
  const check = randomBytes(4)
  const inner = Buffer.concat([
    check,
    check,
    publicBytes,
    block(Buffer.concat([secret, open])),
    text(comment),
  ])
  const padding = Buffer.from(Array.from({ length: (8 - (inner.length % 8)) % 8 }, (_, at) => at + 1))
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    text('none'),
    text('none'),
    text(''),
    number(1),
    block(publicBytes),
    block(Buffer.concat([inner, padding])),
  ])
  const lines = whole.toString('base64').match(/.{1,70}/g)!.join('\n')
  const public_bytes = publicBytes.toString('base64')
  return {
    public_key: `${KIND} ${public_bytes} ${comment}`,
    public_bytes,
    private_key: `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`,
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function block(bytes: Buffer): Buffer {
  return Buffer.concat([number(bytes.length), bytes])
}

function text(value: string): Buffer {
  return block(Buffer.from(value))
}
