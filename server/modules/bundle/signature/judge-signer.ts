import type { X509Certificate } from 'node:crypto'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { cut, visible } from '../../../kernel/text/plain-text.ts'

const CHAIN_LIMIT = 8
const CODE_SIGNING = '1.3.6.1.5.5.7.3.3'
const ANY_PURPOSE = '2.5.29.37.0'

export interface SignerVerdict {
  readonly trusted: boolean
  readonly detail: Sentence
}

/**
 * Whether a signer's certificate is trusted: it, or one that vouches for it, is pinned by its fingerprint, every link
 * of the chain up to that one holds, and all of them are valid at `now`.
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
        say`The certificate of ${shownName(current)} is valid only from ${day(current.validFromDate)} to ${day(current.validToDate)}.`,
      )
    if (pinned.has(fingerprintOf(current)))
      return step === 0
        ? { trusted: true, detail: say`The signer’s certificate is trusted.` }
        : signsCode(signer)
          ? { trusted: true, detail: say`${shownName(current)}, whose certificate is trusted, vouches for the signer.` }
          : untrusted(say`The signer’s certificate is not meant for signing programs.`)
    const issuer = certificates.find((each) => each.ca && !each.raw.equals(current.raw) && issued(each, current))
    if (issuer === undefined) break
    current = issuer
  }
  return untrusted(
    signer.checkIssued(signer)
      ? say`The bundle is unchanged since it was signed, but its signer is unknown here. Anyone can make such a certificate in any name.`
      : say`The bundle is unchanged since it was signed, but its signer is unknown here.`,
  )
}

/** SHA-256 of a certificate in lower-case hexadecimal digits. */
export function fingerprintOf(certificate: X509Certificate): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase()
}

/** The name in a certificate as it can be shown: its CN, or else its whole subject on one line. */
export function shownName(certificate: X509Certificate): string {
  const subject = certificate.subject ?? ''
  const name = /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')
  return cut(visible(name === '' ? '(no name)' : name), 200)
}

function issued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function signsCode(certificate: X509Certificate): boolean {
  // Despite the name that Node gives them, these are the extended key usages; undefined when anything is allowed.
  const purposes = certificate.keyUsage as string[] | undefined
  return purposes === undefined || purposes.includes(CODE_SIGNING) || purposes.includes(ANY_PURPOSE)
}

function untrusted(detail: Sentence): SignerVerdict {
  return { trusted: false, detail }
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}
