import { Secret, TOTP } from 'otpauth'

const PERIOD_S = 30
/** Clocks of phones may be this many codes off. */
const WINDOW = 1

/** Codes of an app as every app makes them (RFC 6238: SHA-1, six digits, 30 seconds). `secret` is base 32. */
function open(secret: string, username: string): TOTP {
  return new TOTP({
    issuer: 'Reeve',
    label: username,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_S,
  })
}

/** 160 random bits, base 32. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** What a QR code of the secret says. */
export function totpUri(secret: string, username: string): string {
  return open(secret, username).toString()
}

/** The 30 seconds of a code, counted from the epoch; null when it is none of now. `now` is in epoch milliseconds. */
export function totpStep(secret: string, code: string, now: number): number | null {
  if (!/^\d{6}$/.test(code)) return null
  const delta = open(secret, '').validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? null : Math.floor(now / 1000 / PERIOD_S) + delta
}
