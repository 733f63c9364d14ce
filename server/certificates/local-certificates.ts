import type { Log } from '../kernel/log.ts'
import { certificateNames } from './certificate-names.ts'
import { folderPlace, sharedPlace, type SharedAuthority } from './authority-place.ts'
import type { CertificateSource } from './certificate-source.ts'
import { readKeyPair, type ReadPair } from './key-pair.ts'
import { loadOrMakeAuthority } from './local-authority.ts'
import { machineNames, type Machine } from './machine-names.ts'
import { openPrivateFolder } from './private-folder.ts'
import { warnOfEnd } from './warn-of-end.ts'

const FILE = 'server.pem'
const DAY = 24 * 3600_000
const REFRESH_MS = 3600_000
/** Some systems reject server certificates valid for more than 398 days. */
const LIFETIME = 396 * DAY
const BACKDATED = DAY
const RENEWED_BEFORE_END = 30 * DAY
const WARNED_BEFORE_END = 60 * DAY

export interface LocalCertificatesOptions {
  /** The data folder's subfolder for certificates. */
  readonly folder: string
  /** Where the processes on one database keep their authority together; null: in the folder. */
  readonly shared: SharedAuthority | null
  /** Names from the settings, in addition to those of the machine. */
  readonly names: readonly string[]
  readonly machine: () => Machine
  readonly now: () => number
  readonly log: Log
}

/**
 * Certificates of this installation's own authority, which all its processes have: created at the first start, renewed before they expire and when
 * the machine's names or addresses change.
 * @throws {CertificateError} when the stored authority cannot be used.
 */
export async function openLocalCertificates(options: LocalCertificatesOptions): Promise<CertificateSource> {
  const { now, machine, log } = options
  const folder = await openPrivateFolder(options.folder)
  const place = options.shared === null ? folderPlace(folder) : sharedPlace(options.shared, folder)
  const warn = warnOfEnd(log, WARNED_BEFORE_END, 'the local CA ends soon; the new one has to be imported then')

  async function obtain(kept: ReadPair | null): Promise<{ authority: ReadPair; pair: ReadPair }> {
    const { hostname, addresses } = machine()
    const authority = await loadOrMakeAuthority(place, { now: now(), host: hostname, log })
    warn(authority.certificate, now())
    const names = machineNames({ hostname, addresses }, options.names)
    if (kept !== null && stillGood(kept, authority, names, now())) return { authority, pair: kept }
    const { makeServerCertificate } = await import('./make-certificate.ts')
    const end = authority.certificate.validToDate.getTime()
    const validity = { from: now() - BACKDATED, to: Math.min(now() + LIFETIME, end) }
    const { key, cert } = await makeServerCertificate(names, validity, {
      privateKey: authority.privateKey,
      certificate: authority.certificate.raw,
    })
    await folder.write(FILE, key + cert)
    log.info({ names, not_after: new Date(validity.to).toISOString() }, 'made a certificate for this server')
    return { authority, pair: readKeyPair(key, cert) }
  }

  let { authority, pair } = await obtain(keptPair(await folder.read(FILE)))
  if (options.shared !== null) await place.publish(authority.certificate.raw)
  const { fingerprint256, validTo } = authority.certificate
  log.info({ ca_fingerprint_sha256: fingerprint256, not_after: validTo }, 'TLS by the local CA')
  return {
    mode: 'local',
    refreshEvery: REFRESH_MS,
    get pair() {
      return pair
    },
    get authority() {
      return authority.certificate
    },
    async refresh() {
      const before = pair
      ;({ authority, pair } = await obtain(before))
      return pair !== before
    },
  }
}

/** Anything damaged here is simply created again. */
function keptPair(text: string | null): ReadPair | null {
  try {
    return text === null ? null : readKeyPair(text, text)
  } catch {
    return null
  }
}

function stillGood({ certificate }: ReadPair, authority: ReadPair, names: readonly string[], now: number): boolean {
  const issuer = authority.certificate
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return false
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()]
  // One that expires together with its authority cannot be made to last longer.
  const lasts = to - now > RENEWED_BEFORE_END || to >= issuer.validToDate.getTime()
  if (now < from || now >= to || !lasts) return false
  return certificateNames(certificate).sort().join() === [...names].sort().join()
}
