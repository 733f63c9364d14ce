import { X509Certificate } from 'node:crypto'
import { isoTime } from '../linux/kernel-texts.ts'

/** Certificates of one file: a chain has several, a bundle of authorities hundreds. */
const MOST = 500
const DAY_MS = 86_400_000
const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'

interface FoundCertificate {
  readonly subject: string
  readonly names: string
  readonly issuer: string
  readonly from: string | null
  readonly until: string | null
  /** Whole days until it ends; negative once it has. Null where no date is understood. */
  readonly days: number | null
  readonly self_signed: boolean
  readonly fingerprint: string
}

/** The X.509 certificates in a file, PEM or DER; what isn't one is passed over. `now` is epoch milliseconds. */
export function readCertificates(bytes: Buffer, now: number): FoundCertificate[] {
  const pem = bytes.toString('latin1')
  if (!pem.includes(BEGIN)) return described(bytes, now)
  const found: FoundCertificate[] = []
  let end = 0
  for (let tried = 0; tried < MOST; tried++) {
    const at = pem.indexOf(BEGIN, end)
    end = at < 0 ? -1 : pem.indexOf(END, at)
    if (end < 0) break
    found.push(...described(Buffer.from(pem.slice(at + BEGIN.length, end).replace(/\s/g, ''), 'base64'), now))
  }
  return found
}

function described(der: Buffer, now: number): FoundCertificate[] {
  try {
    const certificate = new X509Certificate(der)
    const { subject, subjectAltName = '', issuer, validFrom, validTo, fingerprint256 } = certificate
    const until = Date.parse(validTo)
    return [
      {
        subject: short(subject),
        names: short(subjectAltName.replaceAll('DNS:', '')),
        issuer: short(issuer),
        from: isoTime(Date.parse(validFrom)),
        until: isoTime(until),
        days: Number.isNaN(until) ? null : Math.floor((until - now) / DAY_MS),
        self_signed: subject === issuer,
        fingerprint: fingerprint256,
      },
    ]
  } catch {
    return []
  }
}

function short(text: string | undefined): string {
  return (text ?? '').replaceAll('\n', ', ').slice(0, 500)
}
