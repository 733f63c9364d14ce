import { isIP, isIPv6 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { domainToASCII } from 'node:url'
import { canonicalV6 } from './canonical-v6.ts'

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/
/** Addresses that mean "all of this machine's". */
const WILDCARDS = ['0.0.0.0', '::']

/** The machine's names and addresses, as reported by `node:os`. */
export interface Machine {
  readonly hostname: string
  readonly addresses: readonly string[]
}

export function thisMachine(): Machine {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
  return { hostname: hostname(), addresses }
}

/**
 * Every name under which people may reach the service on this machine, best first: host names, then addresses.
 * @param configured names from the settings: hosts of REEVE_PUBLIC_URL, REEVE_TLS_NAMES, REEVE_HOST
 */
export function machineNames(machine: Machine, configured: readonly string[]): string[] {
  const [short = ''] = machine.hostname.split('.')
  // Home and office networks find machines as `name.local` (multicast DNS).
  const own = [machine.hostname, short, short === '' ? '' : `${short}.local`, 'localhost']
  const names = [...configured, ...own, '127.0.0.1', '::1', ...machine.addresses].flatMap(
    (name) => normalName(name) ?? [],
  )
  const unique = [...new Set(names)]
  return [...unique.filter((name) => isIP(name) === 0), ...unique.filter((name) => isIP(name) !== 0).sort()]
}

/**
 * A name as written in certificates; null if it cannot appear there: wildcards, link-local IPv6, anything that isn't a
 * host name.
 */
export function normalName(name: string): string | null {
  const plain = name.replace(/^\[(.*)\]$/, '$1')
  if (WILDCARDS.includes(plain)) return null
  // Browsers cannot express the interface that such an address needs.
  if (isIPv6(plain)) return /^fe[89ab]/i.test(plain) ? null : canonicalV6(plain)
  if (isIP(plain) !== 0) return plain
  const ascii = domainToASCII(plain).toLowerCase().replace(/\.$/, '')
  return HOST_NAME.test(ascii) ? ascii : null
}
