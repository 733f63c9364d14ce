import type { HttpSettings } from '../http-settings.ts'

/**
 * The address, if its text is allowed; what its host resolves to is checked when connecting.
 * @throws {Error} with a sentence
 */
export function allowedUrl(address: string, base: URL | null, settings: HttpSettings): URL {
  const url = URL.parse(address, base?.href)
  if (url === null)
    throw new Error(`${JSON.stringify(address.slice(0, 200))} is no address. It must begin with https:// or http://.`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Error(`Only http and https addresses can be fetched, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(
      'An address must not hold a user name or password. An administrator can set a header for the host in the settings of the module.',
    )
  }
  // A name with a trailing dot is the same host.
  const host = url.hostname.replace(/\.$/, '')
  if (settings.blockedHosts.some((pattern) => matches(host, pattern)))
    throw new Error(`The settings of the HTTP module block the host ${host}.`)
  if (settings.allowedHosts.length === 0) {
    throw new Error(
      'No host is allowed yet. An administrator names the allowed hosts in the settings of the HTTP module; * stands for every host.',
    )
  }
  if (!settings.allowedHosts.some((pattern) => matches(host, pattern))) {
    throw new Error(
      `The host ${host} is not among the allowed hosts of the HTTP module. Allowed: ${settings.allowedHosts.join(', ')}.`,
    )
  }
  return url
}

function matches(host: string, pattern: string): boolean {
  if (pattern === '*') return true
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length >= pattern.length : host === pattern
}
