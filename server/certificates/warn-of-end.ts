import type { X509Certificate } from 'node:crypto'
import type { Log } from '../kernel/log.ts'
import { subjectOf } from './certificate-names.ts'

const DAY = 24 * 3600_000

/** Makes a function that warns in the log, once a day, that the end of a certificate is nearer than `before` milliseconds. */
export function warnOfEnd(log: Log, before: number, message: string) {
  let warnedAt = -Infinity
  return (certificate: X509Certificate, now: number): void => {
    const end = certificate.validToDate
    if (end.getTime() - now > before || now - warnedAt < DAY) return
    warnedAt = now
    log.warn({ subject: subjectOf(certificate), not_after: end.toISOString() }, message)
  }
}
