import 'reflect-metadata'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
  type X509CertificateCreateSelfSignedParams,
} from '@peculiar/x509'
import { KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import type { KeyPair } from './key-pair.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
/** Maximum length the standard allows for a name. */
const LONGEST_NAME = 64

const { subtle } = cryptoProvider.get()
/** Key types as the library declares them: Node's differ wherever browser types are in scope. */
type Keys = X509CertificateCreateSelfSignedParams['keys']

export interface Validity {
  /** Epoch milliseconds. */
  readonly from: number
  readonly to: number
}

export interface Issuer {
  readonly privateKey: KeyObject
  /** DER. */
  readonly certificate: Uint8Array<ArrayBuffer>
}

/** Creates an authority's certificate, valid for servers and not for other authorities, with its key. */
export async function makeAuthority(name: string, validity: Validity): Promise<KeyPair> {
  const keys = await makeKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: nameOf(name),
    ...periodOf(validity),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return inPem(certificate, keys.privateKey)
}

/**
 * Creates a certificate, signed by `issuer`, for a server reached under `names` (host names and addresses), with its
 * key.
 */
export async function makeServerCertificate(
  names: readonly string[],
  validity: Validity,
  issuer: Issuer,
): Promise<KeyPair> {
  const keys = await makeKeys()
  const authority = new X509Certificate(issuer.certificate)
  const pkcs8 = issuer.privateKey.export({ type: 'pkcs8', format: 'der' })
  const certificate = await X509CertificateGenerator.create({
    subject: nameOf(names[0] ?? 'localhost'),
    issuer: authority.subjectName,
    ...periodOf(validity),
    publicKey: keys.publicKey,
    signingKey: await subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
      ),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(authority.publicKey),
    ],
  })
  return inPem(certificate, keys.privateKey)
}

function makeKeys(): Promise<Keys> {
  return subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

function nameOf(name: string): Name {
  return new Name([{ CN: [{ utf8String: name.slice(0, LONGEST_NAME) }] }])
}

function periodOf({ from, to }: Validity) {
  return { notBefore: new Date(from), notAfter: new Date(to) }
}

function inPem(certificate: X509Certificate, key: Keys['privateKey']): KeyPair {
  return {
    key: KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `${certificate.toString('pem')}\n`,
  }
}
