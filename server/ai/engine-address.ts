import { isIP } from 'node:net'
import { addressKind } from '../kernel/network/address-kind.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { baseUrl } from './load-provider.ts'
import type { AiProvider } from './engine-setting.ts'

interface Place {
  readonly provider: AiProvider
  readonly base_url: string | null
}

/**
 * The address of an engine as stored; null: the provider's own. Private addresses are allowed, since many engines run
 * there; addresses where clouds hand out credentials are not. A name leading there is refused on connecting.
 * @throws {AppError} engine_address
 */
export function engineAddress({ provider, base_url }: Place): string | null {
  if (base_url === null) {
    if (provider !== 'openai-compatible') return null
    throw new AppError('engine_address', say`Give the address of the engine, such as http://127.0.0.1:11434/v1.`)
  }
  const url = URL.canParse(base_url) ? new URL(base_url) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new AppError('engine_address', say`The address of an engine begins with http:// or https://.`)
  if (url.username !== '' || url.password !== '')
    throw new AppError(
      'engine_address',
      say`The address must not contain a user name or password. Enter the key in its own field.`,
    )
  if (url.search !== '' || url.hash !== '')
    throw new AppError(
      'engine_address',
      say`The address must not have anything after a question mark or a number sign.`,
    )
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && addressKind(host) === 'never')
    throw new AppError('engine_address', say`No engine can be at ${host}.`)
  return base_url
}

/** Whether a key given for one may be sent to the other. */
export function sameEngine(one: Place, other: Place): boolean {
  if (one.provider !== other.provider) return false
  if (one.base_url === other.base_url) return true
  // A missing address means the provider's own.
  if (one.provider === 'openai-compatible' && (one.base_url === null || other.base_url === null)) return false
  return new URL(baseUrl(one)).origin === new URL(baseUrl(other)).origin
}
