import type { X509Certificate } from 'node:crypto'
import type { Log } from '../kernel/log.ts'
import { subjectOf } from './certificate-names.ts'

const DAY = 24 * 3600_000

/**
 * Creates a function that logs a warning, once a day, when a certificate expires in less than `before` milliseconds.
 */
export function warnOfEnd(log: Log, before: number, message: string) {
  let warnedAt = -Infinity
  return (certificate: X509Certificate, now: number): void => {
    const end = certificate.validToDate
    if (end.getTime() - now > before || now - warnedAt < DAY) return
    warnedAt = now
    log.warn({ subject: subjectOf(certificate), not_after: end.toISOString() }, message)
  }
}
