import canonicalize from 'canonicalize'
import { isTooDeep } from '../kernel/text/json-depth.ts'
import type { Envelope } from './envelope.ts'

/** Bytes of the largest document; a receipt has at most about half. */
export const DOCUMENT_LIMIT = 4 * 1024 * 1024

/** Not a signed document of Reeve: one sentence that says why, for whoever gave it. */
export class NotADocument extends Error {
  override readonly name = 'NotADocument'
}

/**
 * Reads an envelope that anybody may have written. Strict: the same document cannot be written in two ways that differ
 * in more than white space, so nothing can hide beside what was signed. @throws {NotADocument}
 */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.byteLength > DOCUMENT_LIMIT)
    throw new NotADocument(`It is larger than any receipt: ${DOCUMENT_LIMIT / 1024 / 1024} MiB are the limit.`)
  const text = asText(bytes)
  if (text.startsWith('\uFEFF')) throw new NotADocument('It begins with a byte order mark, which no receipt has.')
  const value = parse(text)
  if (!isEnvelope(value))
    throw new NotADocument('It is not a signed document (DSSE): payloadType, payload and one signature are expected.')
  // Equal but for white space, of which no value has any: no key twice, nothing before or after, no other spelling.
  if (text.replaceAll(/[ \t\r\n]/g, '') !== JSON.stringify(value))
    throw new NotADocument('It is written in another way than Reeve writes it, for example with a key twice.')
  return value
}

/** The payload as a value. @throws {NotADocument} */
export function readPayload({ payload }: Envelope): unknown {
  const text = asText(Buffer.from(payload, 'base64'))
  const value = parse(text)
  if (isTooDeep(value)) throw new NotADocument('Its content is nested too deeply.')
  if (canonicalText(value) !== text) throw new NotADocument('Its content is not canonical JSON (RFC 8785).')
  return value
}

function canonicalText(value: unknown): string | undefined {
  try {
    return canonicalize(value)
  } catch {
    // A lone surrogate has no canonical form.
    return undefined
  }
}

function asText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new NotADocument('It is not text (UTF-8).')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new NotADocument('It is not JSON: it was cut off, or something was added.')
  }
}

function isEnvelope(value: unknown): value is Envelope {
  if (!isObject(value) || Object.keys(value).length !== 3) return false
  const { payloadType, payload, signatures } = value
  if (typeof payloadType !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(payloadType) || !isBase64(payload)) return false
  if (!Array.isArray(signatures) || signatures.length !== 1 || !isObject(signatures[0])) return false
  const { keyid, sig } = signatures[0]
  return (
    Object.keys(signatures[0]).length === 2 &&
    typeof keyid === 'string' &&
    /^[0-9a-f]{64}$/.test(keyid) &&
    isBase64(sig) &&
    sig.length === 88
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Base64 in its one canonical spelling. */
function isBase64(value: unknown): value is string {
  return typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value
}
