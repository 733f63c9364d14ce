import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'

/** A private key with the certificates that vouch for it, in PEM, as `node:tls` takes them. */
export interface KeyPair {
  /** PKCS#8, or whatever format the file had. */
  readonly key: string
  /** The certificate of that key, followed by those that vouch for it. */
  readonly cert: string
}

/** The same, parsed. */
export interface ReadPair {
  readonly pem: KeyPair
  readonly privateKey: KeyObject
  readonly certificate: X509Certificate
}

/** What is wrong with one of the two; the message continues from its name: "has no private key in it". */
export class KeyPairError extends Error {
  readonly part: 'key' | 'cert'

  constructor(part: 'key' | 'cert', message: string, options?: ErrorOptions) {
    super(message, options)
    this.part = part
  }
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g

/** Parses a private key and its certificates from PEM. @throws {KeyPairError} */
export function readKeyPair(keyText: string, certText: string): ReadPair {
  const certs = blocksOf(certText, /^-----BEGIN CERTIFICATE-----/)
  if (certs.length === 0) throw new KeyPairError('cert', 'has no certificate in PEM (-----BEGIN CERTIFICATE-----)')
  const [key] = blocksOf(keyText, /^-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/)
  if (key === undefined) throw new KeyPairError('key', 'has no private key in PEM (-----BEGIN PRIVATE KEY-----)')
  if (key.includes('ENCRYPTED'))
    throw new KeyPairError('key', 'has a private key with a passphrase: store it without one')
  const [certificate] = certs.map((block) => parse('cert', 'certificate', () => new X509Certificate(block)))
  const privateKey = parse('key', 'private key', () => createPrivateKey(key))
  if (!certificate!.checkPrivateKey(privateKey))
    throw new KeyPairError('key', 'has a private key that is not the one of the first certificate')
  return { pem: { key: `${key}\n`, cert: `${certs.join('\n')}\n` }, privateKey, certificate: certificate! }
}

function blocksOf(text: string, kind: RegExp): string[] {
  return [...text.matchAll(BLOCK)].map(([block]) => block).filter((block) => kind.test(block))
}

function parse<T>(part: 'key' | 'cert', what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new KeyPairError(part, `has a ${what} that is damaged`, { cause: error })
  }
}
