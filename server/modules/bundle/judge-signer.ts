import type { X509Certificate } from 'node:crypto'

const CHAIN_LIMIT = 8
const CODE_SIGNING = '1.3.6.1.5.5.7.3.3'
const ANY_PURPOSE = '2.5.29.37.0'

export interface SignerVerdict {
  readonly trusted: boolean
  readonly detail: string
}

/**
 * Whether a signer's certificate is trusted: it, or one that vouches for it, is pinned by its fingerprint, every link up to there
 * holds, and all of them are valid at `now`.
 */
export function judgeSigner(
  signer: X509Certificate,
  certificates: readonly X509Certificate[],
  pinned: ReadonlySet<string>,
  now: Date,
): SignerVerdict {
  let current = signer
  for (let step = 0; step < CHAIN_LIMIT; step++) {
    if (now < current.validFromDate || now > current.validToDate)
      return untrusted(
        `The certificate of ${commonName(current)} is valid from ${day(current.validFromDate)} to ${day(current.validToDate)} only.`,
      )
    if (pinned.has(fingerprintOf(current)))
      return step === 0
        ? { trusted: true, detail: 'The certificate of the signer is trusted.' }
        : signsCode(signer)
          ? { trusted: true, detail: `${commonName(current)}, whose certificate is trusted, vouches for the signer.` }
          : untrusted('The certificate of the signer is not meant for signing programs.')
    const issuer = certificates.find((each) => each.ca && !each.raw.equals(current.raw) && issued(each, current))
    if (issuer === undefined) break
    current = issuer
  }
  const self = signer.checkIssued(signer) ? 'Anybody can make such a certificate in any name. ' : ''
  return untrusted(`The bytes are as they were signed, but nobody here knows the signer. ${self}`.trim())
}

/** SHA-256 of a certificate, lower-case hexadecimal digits. */
export function fingerprintOf(certificate: X509Certificate): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase()
}

/** The name in a certificate: its CN, else all of its subject in one line. */
export function commonName(certificate: X509Certificate): string {
  const subject = certificate.subject ?? ''
  return (
    /^CN=(.+)$/m.exec(subject)?.[1] ??
    (subject === '' ? 'a certificate without a name' : subject.replaceAll('\n', ', '))
  )
}

function issued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function signsCode(certificate: X509Certificate): boolean {
  // Node's name for it notwithstanding, these are the extended key usages; undefined when it may be used for anything.
  const purposes = certificate.keyUsage as string[] | undefined
  return purposes === undefined || purposes.includes(CODE_SIGNING) || purposes.includes(ANY_PURPOSE)
}

function untrusted(detail: string): SignerVerdict {
  return { trusted: false, detail }
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}
