import { isIP } from 'node:net'
import { AppError } from '../../kernel/app-error.ts'
import { type Sentence, say } from '../../kernel/sentence.ts'

/**
 * Why passkeys do not work at the address used to reach the service; null when they do. Browsers apply the same rules.
 */
export function passkeysUnavailable(origin: string): Sentence | null {
  const { protocol, hostname } = URL.parse(origin) ?? { protocol: '', hostname: '' }
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0 || hostname === '')
    return say`Passkeys belong to a host name. Open Reeve by its name instead of an IP address, such as “localhost” on the same machine.`
  const local = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !local)
    return say`Browsers create and use passkeys over HTTPS only. Open Reeve at an address that begins with “https://”.`
  return null
}

/**
 * The host name to which passkeys created or presented at this origin belong. @throws {AppError} passkeys_unavailable
 */
export function relyingParty(origin: string): string {
  const why = passkeysUnavailable(origin)
  if (why !== null) throw new AppError('passkeys_unavailable', why)
  return new URL(origin).hostname
}
