import { randomBytes, webcrypto, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { BitString, Integer, ObjectIdentifier, OctetString, Sequence, Utf8String } from 'asn1js'
import {
  AttributeTypeAndValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  CryptoEngine,
  Extension,
  GeneralName,
  GeneralNames,
  type RelativeDistinguishedNames,
  Time,
  TimeType,
} from 'pkijs'
import type { KeyPair } from './key-pair.ts'
import { addressBytes } from './address-bytes.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const
const COMMON_NAME = '2.5.4.3'
const SUBJECT_KEY = '2.5.29.14'
const KEY_USAGE = '2.5.29.15'
const ALTERNATIVE_NAMES = '2.5.29.17'
const CONSTRAINTS = '2.5.29.19'
const AUTHORITY_KEY = '2.5.29.35'
const EXTENDED_USAGE = '2.5.29.37'
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
/** First byte of the bits of a key usage, and how many of its last bits are none. */
const SIGN_CERTIFICATES = { bits: 0x06, unused: 1 }
const DIGITAL_SIGNATURE = { bits: 0x80, unused: 7 }
/** What a standard allows for a name. */
const LONGEST_NAME = 64

const engine = new CryptoEngine({ name: 'node', crypto: webcrypto as never })
/** A key in the words of the library: those of Node are not the same where a browser's types are known too. */
type Key = Parameters<Certificate['sign']>[0]

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

/** Makes a certificate of an authority that vouches for servers and for no other authority, with its key. */
export async function makeAuthority(name: string, validity: Validity): Promise<KeyPair> {
  const keys = await makeKeys()
  const certificate = await draft(name, validity, keys.publicKey)
  certificate.issuer = certificate.subject
  certificate.extensions = [
    extension(CONSTRAINTS, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 }).toSchema()),
    usage(SIGN_CERTIFICATES),
    await subjectKey(certificate),
  ]
  await certificate.sign(keys.privateKey, 'SHA-256', engine)
  return finish(certificate, keys.privateKey)
}

/** Makes a certificate of a server that is reached under `names` (host names and addresses), vouched for by `issuer`, with its key. */
export async function makeServerCertificate(
  names: readonly string[],
  validity: Validity,
  issuer: Issuer,
): Promise<KeyPair> {
  const keys = await makeKeys()
  const authority = Certificate.fromBER(issuer.certificate)
  const certificate = await draft(names[0] ?? 'localhost', validity, keys.publicKey)
  certificate.issuer = authority.subject
  certificate.extensions = [
    extension(CONSTRAINTS, true, new BasicConstraints({ cA: false }).toSchema()),
    usage(DIGITAL_SIGNATURE),
    extension(EXTENDED_USAGE, false, new Sequence({ value: [new ObjectIdentifier({ value: SERVER_AUTH })] })),
    extension(ALTERNATIVE_NAMES, false, new GeneralNames({ names: names.map(generalName) }).toSchema()),
    await subjectKey(certificate),
    extension(
      AUTHORITY_KEY,
      false,
      new AuthorityKeyIdentifier({
        keyIdentifier: new OctetString({ valueHex: await keyDigest(authority) }),
      }).toSchema(),
    ),
  ]
  const pkcs8 = issuer.privateKey.export({ type: 'pkcs8', format: 'der' })
  const signing = await engine.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign'])
  await certificate.sign(signing, 'SHA-256', engine)
  return finish(certificate, keys.privateKey)
}

function makeKeys(): Promise<{ publicKey: Key; privateKey: Key }> {
  return engine.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

async function draft(name: string, { from, to }: Validity, key: Key): Promise<Certificate> {
  const certificate = new Certificate({ version: 2 })
  // The highest bit stays clear: the number is a positive one of the same length.
  const serial = randomBytes(16)
  serial[0] = (serial[0]! & 0x7f) | 0x40
  certificate.serialNumber = new Integer({ valueHex: serial.buffer.slice(serial.byteOffset, serial.byteOffset + 16) })
  certificate.notBefore = timeOf(from)
  certificate.notAfter = timeOf(to)
  setName(certificate.subject, name)
  await certificate.subjectPublicKeyInfo.importKey(key, engine)
  return certificate
}

/** The short form of a time has two digits for the year, and ends with 2049. */
function timeOf(milliseconds: number): Time {
  const value = new Date(milliseconds)
  return new Time({ type: value.getUTCFullYear() < 2050 ? TimeType.UTCTime : TimeType.GeneralizedTime, value })
}

function setName(subject: RelativeDistinguishedNames, name: string): void {
  subject.typesAndValues.push(
    new AttributeTypeAndValue({ type: COMMON_NAME, value: new Utf8String({ value: name.slice(0, LONGEST_NAME) }) }),
  )
}

function extension(extnID: string, critical: boolean, schema: { toBER(): ArrayBuffer }): Extension {
  return new Extension({ extnID, critical, extnValue: schema.toBER() })
}

function usage({ bits, unused }: { bits: number; unused: number }): Extension {
  return extension(KEY_USAGE, true, new BitString({ valueHex: new Uint8Array([bits]).buffer, unusedBits: unused }))
}

async function subjectKey(certificate: Certificate): Promise<Extension> {
  return extension(SUBJECT_KEY, false, new OctetString({ valueHex: await keyDigest(certificate) }))
}

/** The identifier of a key that RFC 5280 suggests; SHA-1 has nothing to protect here. */
function keyDigest(certificate: Certificate): Promise<ArrayBuffer> {
  const key = certificate.subjectPublicKeyInfo.subjectPublicKey.valueBlock.valueHexView
  return webcrypto.subtle.digest('SHA-1', new Uint8Array(key))
}

function generalName(name: string): GeneralName {
  if (isIP(name) === 0) return new GeneralName({ type: 2, value: name })
  return new GeneralName({ type: 7, value: new OctetString({ valueHex: addressBytes(name) }) })
}

async function finish(certificate: Certificate, privateKey: Key): Promise<KeyPair> {
  const key = await engine.subtle.exportKey('pkcs8', privateKey)
  return {
    key: pem('PRIVATE KEY', key),
    cert: pem('CERTIFICATE', certificate.toSchema(true).toBER()),
  }
}

function pem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
