import { join } from 'node:path'
import type { Log } from '../kernel/log.ts'
import type { CertificateSource } from './certificate-source.ts'
import { openGivenCertificate } from './given-certificate.ts'
import type { KeyPair } from './key-pair.ts'
import { openLocalCertificates } from './local-certificates.ts'
import { type Machine, thisMachine } from './machine-names.ts'
import type { TlsSetting } from './tls-setting.ts'

export interface CertificatesOptions {
  readonly tls: TlsSetting
  readonly dataFolder: string
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
  const { tls, log, now = Date.now, machine = thisMachine } = options
  const source =
    tls.mode === 'local'
      ? await openLocalCertificates({
          folder: join(options.dataFolder, 'certificates'),
          names: tls.names,
          machine,
          now,
          log,
        })
      : tls.mode === 'files'
        ? await openGivenCertificate(tls, { now, log })
        : null
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
