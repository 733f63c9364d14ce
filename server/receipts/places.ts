import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import type { HeadPlace } from '../../contract/receipts.ts'
import { OperatorProblem } from '../kernel/operator-problem.ts'

export interface SyslogAddress {
  readonly protocol: 'udp' | 'tcp'
  readonly host: string
  readonly port: number
}

/** Where signed heads are sent, as the environment says; null: not there. */
export interface HeadPlaces {
  readonly file: string | null
  /** `token`: sent as `Authorization: Bearer …`; never logged. */
  readonly webhook: { readonly url: string; readonly token: string | null } | null
  readonly syslog: SyslogAddress | null
}

/** The settings as typed; empty: not set. @throws {OperatorProblem} */
export function readHeadPlaces(given: { file: string; url: string; token: string; syslog: string }): HeadPlaces {
  const { file, url, token, syslog } = given
  if (file !== '' && !isAbsolute(file)) throw new OperatorProblem('REEVE_AUDIT_HEADS_FILE must be an absolute path.')
  if (token !== '' && url === '')
    throw new OperatorProblem('REEVE_AUDIT_HEADS_TOKEN is set but REEVE_AUDIT_HEADS_URL is not: name the address.')
  return {
    file: file || null,
    webhook: url === '' ? null : { url, token: token || null },
    syslog: syslog === '' ? null : readSyslog(syslog),
  }
}

/** The names of those that are set. */
export function placesSet(places: HeadPlaces): HeadPlace[] {
  return (['file', 'webhook', 'syslog'] as const).filter((place) => places[place] !== null)
}

function readSyslog(text: string): SyslogAddress {
  const address = URL.canParse(text) ? new URL(text) : null
  const host = address?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const protocol = address?.protocol.slice(0, -1)
  const bare = address !== null && ['', '/'].includes(address.pathname) && address.search + address.hash === ''
  if ((protocol !== 'udp' && protocol !== 'tcp') || host === '' || !bare || address?.username !== '')
    throw new OperatorProblem(
      'REEVE_AUDIT_HEADS_SYSLOG must be udp://host:port or tcp://host:port, such as udp://127.0.0.1:514.',
    )
  return { protocol, host: isIP(host) === 0 ? host.toLowerCase() : host, port: Number(address.port) || 514 }
}
