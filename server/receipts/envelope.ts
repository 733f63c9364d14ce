import { sign, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { PublicKey, Signer } from './signing-key.ts'

/** A signed document: DSSE, https://github.com/secure-systems-lab/dsse. */
export interface Envelope {
  readonly payloadType: string
  /** base64 of the canonical JSON (RFC 8785). */
  readonly payload: string
  readonly signatures: readonly [{ readonly keyid: string; readonly sig: string }]
}

/** Signs a value; the result is one line of JSON. @throws {Error} for text with lone surrogates, which has no canonical form */
export function signDocument(payloadType: string, value: object, signer: Signer): string {
  const payload = Buffer.from(canonicalize(value)!)
  const sig = sign(null, signedBytes(payloadType, payload), signer.privateKey).toString('base64')
  const envelope: Envelope = {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: signer.key_id, sig }],
  }
  return JSON.stringify(envelope)
}

/** Whether `key` made the envelope's signature. */
export function isSignedBy({ payloadType, payload, signatures: [{ sig }] }: Envelope, { key }: PublicKey): boolean {
  return verify(null, signedBytes(payloadType, Buffer.from(payload, 'base64')), key, Buffer.from(sig, 'base64'))
}

/** What is signed: DSSE's pre-authentication encoding, so that a payload of one type never passes as one of another. */
function signedBytes(payloadType: string, payload: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `),
    payload,
  ])
}
