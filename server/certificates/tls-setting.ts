import { resolve } from 'node:path'
import { normalName } from './machine-names.ts'
import { isLoopback } from '../kernel/network/loopback.ts'

/** How connections are encrypted, according to the settings. */
export type TlsSetting =
  | { readonly mode: 'off' }
  /** `names`: from the settings, in addition to those of the machine. */
  | { readonly mode: 'local'; readonly names: readonly string[] }
  | { readonly mode: 'files'; readonly cert: string; readonly key: string }

/** The relevant settings as given; empty text: not set. */
export interface TlsInput {
  readonly mode: '' | 'local' | 'files' | 'off'
  readonly cert: string
  readonly key: string
  readonly names: string
  readonly host: string
  readonly publicUrl: string
}

/** Decides how connections are encrypted. @throws {Error} with one sentence when the settings contradict each other. */
export function readTlsSetting({ mode, cert, key, names, host, publicUrl }: TlsInput): TlsSetting {
  const chosen = mode === '' ? (isLoopback(host) ? 'off' : 'local') : mode
  if (chosen !== 'files' && (cert !== '' || key !== ''))
    throw new Error(
      'REEVE_TLS_CERT or REEVE_TLS_KEY is set and REEVE_TLS is not files: set REEVE_TLS=files to use them.',
    )
  if (chosen !== 'local' && names !== '')
    throw new Error('REEVE_TLS_NAMES is set, and there is no local certificate to put them in: set REEVE_TLS=local.')
  if (chosen === 'off') return { mode: 'off' }
  if (publicUrl.startsWith('http:'))
    throw new Error(
      `REEVE_PUBLIC_URL begins with http: and the service speaks HTTPS only (REEVE_TLS is ${chosen}${mode === '' ? ' unless you set it' : ''}). Write https: there, or set REEVE_TLS=off.`,
    )
  if (chosen === 'files') {
    if (cert === '' || key === '')
      throw new Error('REEVE_TLS is files: REEVE_TLS_CERT and REEVE_TLS_KEY have to name the two files.')
    return { mode: 'files', cert: resolve(cert), key: resolve(key) }
  }
  const further = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const wrong = further.find((name) => normalName(name) === null)
  if (wrong !== undefined)
    throw new Error(
      `REEVE_TLS_NAMES has "${wrong}", which is neither a host name nor an address: separate them by commas.`,
    )
  const reached = publicUrl === '' ? [] : [new URL(publicUrl).hostname]
  return { mode: 'local', names: [...reached, ...further, ...(host === '' ? [] : [host])] }
}
