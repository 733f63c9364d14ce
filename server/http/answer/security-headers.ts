/**
 * Sent with every answer. Frozen and written by hand, because a header library costs more per request than the request
 * itself.
 */
export const SECURITY_HEADERS = Object.freeze({
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
})

/** What the application's pages may load: their own origin, nothing inline, nothing framed. */
export const PAGE_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
  "connect-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

/** A stored file shown inline: never a script of our origin, and only our own pages may frame it. */
export const INLINE_FILE_POLICY =
  "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

/** Browsers refuse to show a PDF in a sandbox; their viewers do not run its scripts in our origin. */
export const INLINE_PDF_POLICY = "frame-ancestors 'self'"

export const JSON_TYPE = 'application/json; charset=utf-8'
export const PRIVATE = 'private, no-store'
