import type { X509Certificate } from 'node:crypto'
import type { Log } from '../kernel/log.ts'
import { CertificateError } from './certificate-error.ts'
import { subjectOf } from './certificate-names.ts'
import { readKeyPair, type ReadPair } from './key-pair.ts'
import type { AuthorityPlace } from './authority-place.ts'

const YEARS = 10
/** Allows for other machines' clocks being behind. */
const BACKDATED_MS = 24 * 3600_000

/**
 * The local authority of this installation: the stored one, or a new one if there is none or it has expired. However
 * many processes ask at once, all get the same. It is never replaced while it is valid.
 * @param host name of the machine, used in the authority's own name
 * @throws {CertificateError} when the stored one cannot be used.
 */
export async function loadOrMakeAuthority(
  place: AuthorityPlace,
  { now, host, log }: { now: number; host: string; log: Log },
): Promise<ReadPair> {
  const kept = await load(place)
  if (kept !== null && now < kept.pair.certificate.validToDate.getTime()) return kept.pair
  if (kept !== null) {
    const { certificate } = kept.pair
    log.warn({ subject: subjectOf(certificate), not_after: certificate.validTo }, 'the local CA is over')
  }
  const { makeAuthority } = await import('./make-certificate.ts')
  const to = new Date(now)
  to.setUTCFullYear(to.getUTCFullYear() + YEARS)
  const id = crypto.randomUUID().slice(0, 6)
  // The id distinguishes two installations on one machine in a list of trusted certificates.
  const { key, cert } = await makeAuthority(`Reeve local CA ${host.slice(0, 40)} ${id}`, {
    from: now - BACKDATED_MS,
    to: to.getTime(),
  })
  const day = kept?.pair.certificate.validToDate.toISOString().slice(0, 10)
  await place.put(key + cert, kept === null || day === undefined ? null : { pem: kept.pem, day })
  const made = await load(place)
  if (made === null) throw new CertificateError(`${place.what} vanished while it was read.`)
  const { certificate } = made.pair
  await place.publish(certificate.raw)
  log.info({ subject: subjectOf(certificate), not_after: certificate.validTo }, 'made a local CA')
  return made.pair
}

async function load(place: AuthorityPlace): Promise<{ pem: string; pair: ReadPair } | null> {
  const pem = await place.read()
  if (pem === null) return null
  const unusable = (why: string, cause?: unknown) =>
    new CertificateError(
      `${place.what} ${why}. Put it back from a backup; or remove it, and a new local CA is made, which everybody has to import.`,
      { cause },
    )
  let pair: ReadPair
  try {
    pair = readKeyPair(pem, pem)
  } catch (error) {
    throw unusable((error as Error).message, error)
  }
  if (!isAuthority(pair.certificate)) throw unusable('has a certificate that may not vouch for others')
  if (pair.privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw unusable('has a key that is none of the curve P-256')
  return { pem, pair }
}

function isAuthority(certificate: X509Certificate): boolean {
  return certificate.ca && certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey)
}
