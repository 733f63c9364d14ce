import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far the clock of whoever sends may be off, in milliseconds. */
const TOLERANCE = 5 * 60_000
/** Signatures in one header that are looked at: a sender has two while it changes its secret. */
const SIGNATURES = 5

/** The headers of Standard Webhooks. */
export interface SignedHeaders {
  readonly 'webhook-id'?: string | undefined
  readonly 'webhook-timestamp'?: string | undefined
  readonly 'webhook-signature'?: string | undefined
}

/**
 * The id of a delivery whose sender has the secret and has signed exactly these bytes, within five minutes of now; else
 * null.
 */
export function provenDelivery(headers: SignedHeaders, body: Uint8Array, secret: string, now: number): string | null {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = headers
  if (id === undefined || timestamp === undefined || given === undefined) return null
  if (!/^[!-~]{1,200}$/.test(id) || !/^\d{1,15}$/.test(timestamp)) return null
  if (Math.abs(now - Number(timestamp) * 1000) > TOLERANCE) return null
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  const matches = given
    .split(' ')
    .slice(0, SIGNATURES)
    .some((signature) => signature.startsWith('v1,') && same(Buffer.from(signature.slice(3), 'base64'), expected))
  return matches ? id : null
}

/** What a client sends as `Authorization: Bearer …`; null for anything else. */
export function bearerOf(authorization: string | undefined): string | null {
  return /^Bearer +([!-~]{1,300})$/i.exec(authorization ?? '')?.[1] ?? null
}

export function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
