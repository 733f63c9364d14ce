import { isIP } from 'node:net'
import { AppError } from '../../kernel/app-error.ts'
import { type Sentence, say } from '../../kernel/sentence.ts'

/** Why passkeys do not work where the person reached the service; null when they do. Browsers hold the same rules. */
export function passkeysUnavailable(origin: string): Sentence | null {
  const { protocol, hostname } = URL.parse(origin) ?? { protocol: '', hostname: '' }
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0 || hostname === '')
    return say`Passkeys belong to a host name. Open Reeve by its name instead of a number, such as “localhost” on the same machine.`
  const local = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !local)
    return say`Browsers make and show passkeys over HTTPS only. Open Reeve at an address that begins with “https://”.`
  return null
}

/** Host name to which passkeys that are made or shown at this origin belong. @throws {AppError} passkeys_unavailable */
export function relyingParty(origin: string): string {
  const why = passkeysUnavailable(origin)
  if (why !== null) throw new AppError('passkeys_unavailable', why)
  return new URL(origin).hostname
}
