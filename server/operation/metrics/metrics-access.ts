import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'

/**
 * Metrics are for administrators, and for a collector with the token from the settings. A local address proves nothing:
 * a proxy on this machine has one on behalf of everyone, and need not say so.
 * @throws {AppError} not_signed_in, forbidden
 */
export function refuseStrangers(caller: Caller | null, authorization: string | undefined, token: string | null): void {
  if (isCollector(caller, authorization, token)) return
  if (caller === null)
    throw new AppError(
      'not_signed_in',
      say`Send the token from REEVE_METRICS_TOKEN, or the access token of an administrator.`,
    )
  throw new AppError('forbidden', say`Only an administrator may see the metrics.`)
}

/** Whether this is an administrator, or a program with the token from the settings. */
export function isCollector(caller: Caller | null, authorization: string | undefined, token: string | null): boolean {
  if (caller?.admin === true && caller.scope === null) return true
  return token !== null && isSame(authorization ?? '', `Bearer ${token}`)
}

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
