import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Log } from '../kernel/log.ts'
import { CertificateError } from './certificate-error.ts'
import type { CertificateSource } from './certificate-source.ts'
import { KeyPairError, readKeyPair, type ReadPair } from './key-pair.ts'
import { warnOfEnd } from './warn-of-end.ts'

const REFRESH_MS = 30_000
const WARNED_BEFORE_END = 14 * 24 * 3600_000
const SETTING = { cert: 'REEVE_TLS_CERT', key: 'REEVE_TLS_KEY' } as const

export interface GivenFiles {
  /** Paths of PEM files. */
  readonly cert: string
  readonly key: string
}

/**
 * The certificate the operator keeps in two files. They are checked every half minute: changed files that match each
 * other are adopted; otherwise the old ones stay in use.
 * @throws {CertificateError} when they cannot be used at start-up.
 */
export async function openGivenCertificate(
  files: GivenFiles,
  { now, log }: { now: () => number; log: Log },
): Promise<CertificateSource> {
  let seen = await stateOf(files)
  let pair = await read(files, now())
  const warn = warnOfEnd(log, WARNED_BEFORE_END, 'the certificate of REEVE_TLS_CERT ends soon')
  warn(pair.certificate, now())
  return {
    mode: 'files',
    authority: null,
    refreshEvery: REFRESH_MS,
    get pair() {
      return pair
    },
    async refresh() {
      warn(pair.certificate, now())
      const state = await stateOf(files)
      if (state === seen) return false
      // Examined once per change, so that an invalid pair is reported once.
      seen = state
      const fresh = await read(files, now())
      if (fresh.pem.cert === pair.pem.cert && fresh.pem.key === pair.pem.key) return false
      pair = fresh
      log.info({ not_after: pair.certificate.validTo }, 'took the new certificate of REEVE_TLS_CERT')
      return true
    },
  }
}

/** A value that changes whenever one of the files does, through links too. */
async function stateOf({ cert, key }: GivenFiles): Promise<string> {
  const states = await Promise.all(
    [cert, key].map((file) =>
      stat(file, { bigint: true }).then(
        ({ ino, size, mtimeNs }) => [ino, size, mtimeNs].join(),
        () => 'missing',
      ),
    ),
  )
  return states.join(' ')
}

async function read(files: GivenFiles, now: number): Promise<ReadPair> {
  const [cert, key] = [await readText(files, 'cert'), await readText(files, 'key')]
  let pair: ReadPair
  try {
    pair = readKeyPair(key, cert)
  } catch (error) {
    if (!(error instanceof KeyPairError)) throw error
    throw new CertificateError(`${named(files, error.part)} ${error.message}.`, { cause: error })
  }
  const { validFromDate, validToDate } = pair.certificate
  if (now >= validToDate.getTime())
    throw new CertificateError(
      `${named(files, 'cert')} has a certificate that ended on ${day(validToDate)}: get a new one, or look at the clock of this machine.`,
    )
  if (now < validFromDate.getTime())
    throw new CertificateError(
      `${named(files, 'cert')} has a certificate that begins on ${day(validFromDate)}: look at the clock of this machine.`,
    )
  try {
    createSecureContext({ ...pair.pem })
  } catch (error) {
    throw new CertificateError(`${named(files, 'cert')} cannot be used for TLS: ${(error as Error).message}.`, {
      cause: error,
    })
  }
  return pair
}

async function readText(files: GivenFiles, part: 'cert' | 'key'): Promise<string> {
  try {
    return await readFile(files[part], 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    throw new CertificateError(`${named(files, part)} cannot be read (${code}).`, { cause: error })
  }
}

function named(files: GivenFiles, part: 'cert' | 'key'): string {
  return `The file of ${SETTING[part]}, ${files[part]},`
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10)
}
