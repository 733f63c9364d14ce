import { anyFound, DIFFERS, FITS, type Found, ODD, TOO_LONG, WRONG_TYPE } from './finding.ts'
import { isOdd, TEXT_JUDGED } from './text.ts'

const BELOW = '*.'

interface Host {
  readonly hostname: string
  /** Empty for the scheme's own. */
  readonly port: string
}

/** Whether a rule can name it: `example.com`, `example.com:8443`, `*.example.com`, `[::1]`, in lower case and ASCII. */
export function isHostPattern(pattern: string): boolean {
  const host = pattern.startsWith(BELOW) ? pattern.slice(BELOW.length) : pattern
  // The scheme must not decide what port is the usual one.
  return ['http', 'https'].every((scheme) => {
    const read = readHost(`${scheme}://${host}`)
    return read !== null && written(read) === host
  })
}

/** The host of an http(s) address: one of these. Any port but the usual one must be named, too. */
export function findHost(value: unknown, patterns: readonly string[]): Found {
  if (typeof value !== 'string') return WRONG_TYPE
  if (value.length > TEXT_JUDGED) return TOO_LONG
  const host = readHost(value)
  return host === null ? ODD : anyFound(patterns.map((pattern) => isNamed(host, pattern)))
}

function isNamed(host: Host, pattern: string): Found {
  const below = pattern.startsWith(BELOW)
  const named = readHost(`https://${below ? pattern.slice(BELOW.length) : pattern}`)
  if (named === null) return ODD
  const same = below ? host.hostname.endsWith(`.${named.hostname}`) : host.hostname === named.hostname
  if (!same) return DIFFERS
  if (host.port === named.port) return FITS
  // A rule without a port is about the host: another port of it is not surely somewhere else.
  return named.port === '' ? ODD : DIFFERS
}

/**
 * By the parser that the requests of built-in tools use, and null unless that reads exactly the host that is written: no
 * user info, no other spelling of an address, no dot at its end.
 */
function readHost(address: string): Host | null {
  if (isOdd(address) || address.includes('\\') || address.trim() !== address) return null
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (url.username !== '' || url.password !== '') return null
  const rest = address.slice(address.indexOf('//') + 2)
  const ends = ['/', '?', '#'].map((end) => rest.indexOf(end)).filter((at) => at >= 0)
  const raw = rest.slice(0, Math.min(rest.length, ...ends))
  if (address.slice(0, address.indexOf('//')).toLowerCase() !== url.protocol) return null
  const { hostname, port, host } = url
  return raw.toLowerCase() === host && !hostname.endsWith('.') ? { hostname, port } : null
}

function written({ hostname, port }: Host): string {
  return port === '' ? hostname : `${hostname}:${port}`
}
