import { type Set as Asn1Set, fromBER, ObjectIdentifier, OctetString, Sequence, type BaseBlock } from 'asn1js'
import { ContentInfo, IssuerAndSerialNumber, SignedData, type Attribute } from 'pkijs'
import { X509Certificate } from 'node:crypto'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { UnusableSignature } from './unusable-signature.ts'

const DATA = '1.2.840.113549.1.7.1'
const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4'
const DIGESTS: Record<string, string> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}
/** Signature algorithm → its digest; `null`: the one in the signer's entry. */
const SIGNATURES: Record<string, string | null> = {
  '1.2.840.113549.1.1.1': null,
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.2.1': null,
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
}

/** What a detached PKCS#7 signature claims, before any of it is verified. */
export interface SignedContent {
  /** The digest that the content must have, and Node's name for its algorithm. */
  readonly contentDigest: Buffer
  readonly contentAlgorithm: string
  /** The bytes that are signed: the attributes, which contain the digest of the content. */
  readonly signed: Buffer
  readonly signature: Buffer
  readonly signatureAlgorithm: string
  /** Certificates that may be the signer's. */
  readonly candidates: readonly X509Certificate[]
  readonly certificates: readonly X509Certificate[]
}

/** Reads a detached signature in DER. @throws {UnusableSignature} when it is damaged or unsupported */
export function readSignedContent(der: Buffer): SignedContent {
  const parsed = fromBER(new Uint8Array(der))
  if (parsed.offset === -1 || parsed.offset !== der.length) throw unusable(say`It isn’t a DER structure.`)
  const info = new ContentInfo({ schema: parsed.result })
  if (info.contentType !== ContentInfo.SIGNED_DATA) throw unusable(say`It isn’t a PKCS#7 signature.`)
  const data = new SignedData({ schema: info.content })
  if (data.encapContentInfo.eContent !== undefined) throw unusable(say`It carries content of its own.`)
  const [signer] = data.signerInfos
  if (signer === undefined || data.signerInfos.length !== 1) throw unusable(say`It must have exactly one signer.`)
  if (signer.signedAttrs === undefined) throw unusable(say`It has no signed attributes.`)
  const contentAlgorithm = DIGESTS[signer.digestAlgorithm.algorithmId]
  if (contentAlgorithm === undefined) throw unusable(say`Its digest is not SHA-256, SHA-384 or SHA-512.`)
  const type = onlyValue(signer.signedAttrs.attributes, CONTENT_TYPE)
  if (!(type instanceof ObjectIdentifier) || type.valueBlock.toString() !== DATA)
    throw unusable(say`It is a signature of something else.`)
  const digest = onlyValue(signer.signedAttrs.attributes, MESSAGE_DIGEST)
  if (!(digest instanceof OctetString)) throw unusable(say`It contains no digest of the content.`)
  const method = signer.signatureAlgorithm.algorithmId
  if (SIGNATURES[method] === undefined)
    throw unusable(say`Its algorithm (${method}) is not supported. Use RSA (PKCS #1) or ECDSA.`)
  const certificates = rawCertificates(info.content).map((raw) => new X509Certificate(raw))
  const { sid } = signer
  const candidates =
    sid instanceof IssuerAndSerialNumber
      ? certificates.filter((_, at) => {
          const certificate = data.certificates?.[at]
          return (
            certificate !== undefined &&
            'serialNumber' in certificate &&
            certificate.serialNumber.isEqual(sid.serialNumber) &&
            certificate.issuer.isEqual(sid.issuer)
          )
        })
      : certificates
  return {
    contentDigest: Buffer.from(digest.getValue()),
    contentAlgorithm,
    signed: Buffer.from(signer.signedAttrs.encodedValue),
    signature: Buffer.from(signer.signature.getValue()),
    signatureAlgorithm: SIGNATURES[method] ?? contentAlgorithm,
    candidates,
    certificates,
  }
}

function unusable(detail: Sentence): UnusableSignature {
  return new UnusableSignature(detail)
}

/** The value of this attribute, when there is exactly one. */
function onlyValue(attributes: readonly Attribute[], type: string): unknown {
  const found = attributes.filter((attribute) => attribute.type === type)
  return found.length === 1 && found[0]!.values.length === 1 ? found[0]!.values[0] : undefined
}

/**
 * The certificates in the field tagged 0 of the signed data, as raw bytes, because their fingerprints are taken of
 * those.
 */
function rawCertificates(content: unknown): Uint8Array[] {
  if (!(content instanceof Sequence)) return []
  const field = content.valueBlock.value.find(
    (block: BaseBlock) => block.idBlock.tagClass === 3 && block.idBlock.tagNumber === 0,
  ) as Asn1Set | undefined
  return (field?.valueBlock.value ?? []).map((block: BaseBlock) => block.valueBeforeDecodeView)
}
