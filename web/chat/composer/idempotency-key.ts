/**
 * A new Idempotency-Key. `crypto.randomUUID` exists only on secure origins, and Reeve also runs over plain HTTP in a
 * home network.
 */
export function newIdempotencyKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
