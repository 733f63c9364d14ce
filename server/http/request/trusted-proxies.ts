import { isIP } from 'node:net'

/**
 * Whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted: a number of hops in front of the service, addresses and
 * networks, or no one's.
 */
export type TrustedProxies = number | readonly string[] | false

const MOST_HOPS = 10

/**
 * Parses `REEVE_TRUST_PROXY`: empty, a number of hops, or addresses and networks separated by commas.
 * @throws {Error} with a sentence for the operator, also for a setting that would trust everyone
 */
export function readTrustedProxies(setting: string): TrustedProxies {
  const text = setting.trim()
  if (text === '' || text === '0' || text === 'false') return false
  if (/^\d+$/.test(text)) {
    const hops = Number(text)
    if (hops > MOST_HOPS) throw refused(`“${text}” is more than ${MOST_HOPS} hops`)
    return hops
  }
  const parts = text.split(',').map((part) => part.trim())
  for (const part of parts) {
    if (part === 'true') throw refused('“true” would believe every client what it says of its address')
    if (!isNetwork(part)) throw refused(`“${part}” is neither an address nor a network`)
  }
  return parts
}

/** An address, or one with a prefix length; never a network that contains everyone. */
function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0 || address.includes('%')) return false
  if (prefix === undefined) return true
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128)
}

function refused(why: string): Error {
  return new Error(
    `REEVE_TRUST_PROXY is not usable: ${why}. Name the proxies, such as 127.0.0.1 or 10.0.0.0/8,::1, or say how many stand before the service, such as 1.`,
  )
}
