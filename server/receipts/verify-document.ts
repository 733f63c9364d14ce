import type { z } from 'zod'
import type { Signature } from './documents.ts'
import { isSignedBy } from './envelope.ts'
import { NotADocument, readEnvelope, readPayload } from './read-envelope.ts'
import { type PublicKey, publicKey } from './signing-key.ts'

/** Whom the verifier trusts: keys they hold, or fingerprints of keys that are in the document itself. */
export interface Trust {
  readonly keys: readonly PublicKey[]
  /** Key ids: 64 hexadecimal digits. */
  readonly fingerprints: readonly string[]
}

/**
 * `valid`: signed by a trusted key. `unknown_key`: unchanged since the key it names signed it, but nobody vouches for
 * that key. `bad_signature`: changed, or never signed by it. `wrong_type`: signed as something else. `not_a_document`:
 * neither; `problem` says why.
 */
export type Verified<Document> =
  | { readonly verdict: 'valid' | 'unknown_key'; readonly key_id: string; readonly document: Document }
  | { readonly verdict: 'bad_signature' | 'wrong_type' | 'not_a_document'; readonly problem: string }

/** Verifies one signed document of the given type. Never throws for what the bytes say. */
export function verifyDocument<Document extends { signed_by: z.infer<typeof Signature> }>(
  bytes: Uint8Array,
  { type, schema }: { readonly type: string; readonly schema: z.ZodType<Document> },
  trust: Trust,
): Verified<Document> {
  try {
    const envelope = readEnvelope(bytes)
    const { keyid } = envelope.signatures[0]
    if (envelope.payloadType !== type)
      return { verdict: 'wrong_type', problem: `It is signed as ${envelope.payloadType}, not as ${type}.` }
    const known = trust.keys.find(({ key_id }) => key_id === keyid)
    const payload = readPayload(envelope)
    const signer = known ?? namedKey(payload, keyid)
    if (signer === null || !isSignedBy(envelope, signer))
      return { verdict: 'bad_signature', problem: 'It was changed after it was signed, or never signed by this key.' }
    const parsed = schema.safeParse(payload)
    if (!parsed.success || parsed.data.signed_by.key.key_id !== keyid)
      return { verdict: 'not_a_document', problem: 'It is signed, but its content is not what this version knows.' }
    const trusted = known !== undefined || trust.fingerprints.includes(keyid)
    return { verdict: trusted ? 'valid' : 'unknown_key', key_id: keyid, document: parsed.data }
  } catch (error) {
    if (!(error instanceof NotADocument)) throw error
    return { verdict: 'not_a_document', problem: error.message }
  }
}

/** The public key in the document, if it is the one that the signature names. */
function namedKey(payload: unknown, keyid: string): PublicKey | null {
  const { signed_by } = (payload ?? {}) as { signed_by?: { key?: { public_key?: unknown } } | null }
  const pem = signed_by?.key?.public_key
  if (typeof pem !== 'string') return null
  try {
    const key = publicKey(pem)
    return key.key_id === keyid && key.pem === pem ? key : null
  } catch {
    return null
  }
}
