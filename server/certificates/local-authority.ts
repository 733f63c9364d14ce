import type { X509Certificate } from 'node:crypto'
import type { Log } from '../kernel/log.ts'
import { CertificateError } from './certificate-error.ts'
import { subjectOf } from './certificate-names.ts'
import { readKeyPair, type ReadPair } from './key-pair.ts'
import type { PrivateFolder } from './private-folder.ts'

const FILE = 'authority.pem'
/** The certificate alone, for operators to copy to other machines. */
const PUBLIC_FILE = 'Service-Local-CA.cer'
const YEARS = 10
/** Allows for other machines' clocks being behind. */
const BACKDATED_MS = 24 * 3600_000

/**
 * The local authority of this data folder: the stored one, or a new one if there is none or it has expired. However
 * many processes ask at once, all get the same. It is never replaced while it is valid.
 * @param host name of the machine, used in the authority's own name
 * @throws {CertificateError} when the stored one cannot be used.
 */
export async function loadOrMakeAuthority(
  folder: PrivateFolder,
  { now, host, log }: { now: number; host: string; log: Log },
): Promise<ReadPair> {
  const kept = await load(folder)
  if (kept !== null && now < kept.certificate.validToDate.getTime()) return kept
  if (kept !== null) {
    const { certificate } = kept
    log.warn({ subject: subjectOf(certificate), not_after: certificate.validTo }, 'the local CA is over')
    await folder.rename(FILE, `authority-until-${certificate.validToDate.toISOString().slice(0, 10)}.pem`)
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
  await folder.create(FILE, key + cert)
  const authority = await load(folder)
  if (authority === null) throw new CertificateError(`The file ${folder.path(FILE)} vanished while it was read.`)
  await folder.write(PUBLIC_FILE, authority.certificate.raw)
  log.info({ subject: subjectOf(authority.certificate), not_after: authority.certificate.validTo }, 'made a local CA')
  return authority
}

async function load(folder: PrivateFolder): Promise<ReadPair | null> {
  const text = await folder.read(FILE)
  if (text === null) return null
  const unusable = (why: string, cause?: unknown) =>
    new CertificateError(
      `The file ${folder.path(FILE)} ${why}. Put it back from a backup; or remove it, and a new local CA is made, which everybody has to import.`,
      { cause },
    )
  let pair: ReadPair
  try {
    pair = readKeyPair(text, text)
  } catch (error) {
    throw unusable((error as Error).message, error)
  }
  if (!isAuthority(pair.certificate)) throw unusable('has a certificate that may not vouch for others')
  if (pair.privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw unusable('has a key that is none of the curve P-256')
  return pair
}

function isAuthority(certificate: X509Certificate): boolean {
  return certificate.ca && certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey)
}
