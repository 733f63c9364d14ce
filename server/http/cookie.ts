import type { SessionChange } from '../../contract/route.ts'

/** With the `__Host-` prefix a browser takes the cookie only from this very host, over TLS and for every path. */
const SECURE_NAME = '__Host-reeve_session'
const PLAIN_NAME = 'reeve_session'

/**
 * Reads the session token from a Cookie header.
 * Two different values mean that somebody else planted one: neither counts, so a planted session is never used.
 */
export function readSessionCookie(header: string | undefined, secure: boolean): string | null {
  if (header === undefined) return null
  const name = secure ? SECURE_NAME : PLAIN_NAME
  let found: string | null = null
  for (const part of header.split(';')) {
    const equals = part.indexOf('=')
    if (equals < 0 || part.slice(0, equals).trim() !== name) continue
    const value = part.slice(equals + 1).trim()
    if (found !== null && found !== value) return null
    found = value
  }
  return found === '' ? null : found
}

/** The Set-Cookie value that starts (`change`) or ends (`null`) a browser session. `expires_at` is in epoch milliseconds. */
export function sessionCookie(change: SessionChange | null, secure: boolean): string {
  const name = secure ? SECURE_NAME : PLAIN_NAME
  const expires = new Date(change === null ? 0 : change.expires_at).toUTCString()
  return `${name}=${change === null ? '' : change.token}; Path=/; Expires=${expires}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
