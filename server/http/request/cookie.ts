import type { BrowserNote, SessionChange } from '../../../contract/route.ts'

/** With the `__Host-` prefix a browser accepts the cookie only from this exact host, over TLS and for every path. */
const SECURE_PREFIX = '__Host-'
const SESSION = 'reeve_session'
const NOTE = 'reeve_note'
const DEVICE = 'reeve_device'

/** Reads the session token from a Cookie header. */
export function readSessionCookie(header: string | undefined, secure: boolean): string | null {
  return readCookie(header, nameOf(SESSION, secure))
}

/**
 * The Set-Cookie value that starts (`change`) or ends (`null`) a browser session. `expires_at` is in epoch
 * milliseconds.
 */
export function sessionCookie(change: SessionChange | null, secure: boolean): string {
  return writeCookie(nameOf(SESSION, secure), change?.token ?? '', change?.expires_at ?? 0, secure)
}

/** Reads the token by which a browser is recognised that was used to sign in before. */
export function readDeviceCookie(header: string | undefined, secure: boolean): string | null {
  return readCookie(header, nameOf(DEVICE, secure))
}

/** The Set-Cookie value for that token, which stays when the session ends. */
export function deviceCookie({ token, expires_at }: NonNullable<SessionChange['device']>, secure: boolean): string {
  return writeCookie(nameOf(DEVICE, secure), token, expires_at, secure)
}

/** Reads the note a redirect left in the browser. */
export function readNoteCookie(header: string | undefined, secure: boolean): string | null {
  return readCookie(header, nameOf(NOTE, secure))
}

/** The Set-Cookie value that leaves a note (of characters allowed in a cookie) in the browser, or removes it. */
export function noteCookie(note: BrowserNote | null, secure: boolean): string {
  return writeCookie(nameOf(NOTE, secure), note?.text ?? '', note?.expires_at ?? 0, secure)
}

function nameOf(name: string, secure: boolean): string {
  return secure ? SECURE_PREFIX + name : name
}

/** Two different values mean that one was planted: neither counts, so a planted session is never used. */
function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null
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

function writeCookie(name: string, value: string, expires_at: number, secure: boolean): string {
  const expires = new Date(expires_at).toUTCString()
  return `${name}=${value}; Path=/; Expires=${expires}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
