import type { Caller } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'

/** Headers that a proxy adds: whoever sends one is not this machine, whatever the connection says. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'] as const
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/
/** A page of somebody else's can make its name lead to this machine; then the name is in the request. */
const LOOPBACK_HOST = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/i

/** Metrics are for administrators, and for a collector on this machine. @throws {AppError} not_signed_in, forbidden */
export function refuseStrangers(
  caller: Caller | null,
  address: string,
  headers: Readonly<Partial<Record<(typeof FORWARDED)[number] | 'host', string | undefined>>>,
): void {
  if (caller?.admin === true && caller.scope === null) return
  const local =
    LOOPBACK.test(address) &&
    LOOPBACK_HOST.test(headers.host ?? '') &&
    FORWARDED.every((name) => headers[name] === undefined)
  if (local) return
  if (caller === null)
    throw new AppError('not_signed_in', say`Send an access token of an administrator, or ask from this machine itself.`)
  throw new AppError('forbidden', say`Only an administrator may see the metrics.`)
}
