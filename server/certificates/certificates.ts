import { join } from 'node:path'
import type { Log } from '../kernel/log.ts'
import type { SharedAuthority } from './authority-place.ts'
import type { CertificateSource } from './certificate-source.ts'
import type { KeyPair } from './key-pair.ts'
import { type Machine, thisMachine } from './machine-names.ts'
import type { TlsSetting } from './tls-setting.ts'

export interface CertificatesOptions {
  readonly tls: TlsSetting
  readonly dataFolder: string
  /** Where the processes on one database keep their local authority together; left out: in the data folder. */
  readonly shared?: SharedAuthority | null
  readonly log: Log
  /** Current time in epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
  readonly machine?: () => Machine
}

export interface Certificates {
  /** Null: plain HTTP. */
  readonly source: CertificateSource | null
  /** What the server uses initially; null: plain HTTP. */
  readonly pair: KeyPair | null
  /** Keeps the certificate up to date; calls `use` with each new one, and never stops because of an error. */
  refresh(use: (pair: KeyPair) => void): Promise<void>
}

/**
 * Opens what the settings say about TLS: certificates of a local authority, given files, or none.
 * @throws {CertificateError} with one sentence for the operator.
 */
export async function openCertificates(options: CertificatesOptions): Promise<Certificates> {
  const source = await openSource(options)
  return {
    source,
    get pair() {
      return source === null ? null : source.pair.pem
    },
    async refresh(use) {
      if (source !== null && (await source.refresh())) use(source.pair.pem)
    },
  }
}

async function openSource({
  tls,
  dataFolder,
  shared = null,
  log,
  now = Date.now,
  machine = thisMachine,
}: CertificatesOptions): Promise<CertificateSource | null> {
  switch (tls.mode) {
    case 'local': {
      const { openLocalCertificates } = await import('./local-certificates.ts')
      const folder = join(dataFolder, 'certificates')
      return openLocalCertificates({ folder, shared, names: tls.names, machine, now, log })
    }
    case 'files': {
      const { openGivenCertificate } = await import('./given-certificate.ts')
      return openGivenCertificate(tls, { now, log })
    }
    case 'off':
      return null
  }
}
