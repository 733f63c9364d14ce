import type { X509Certificate } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { canonicalV6 } from './canonical-v6.ts'

/** The host names and addresses a certificate is valid for, as `machineNames` writes them. */
export function certificateNames({ subjectAltName }: X509Certificate): string[] {
  return (subjectAltName ?? '').split(', ').flatMap((entry) => {
    const [, kind, name = ''] = /^(DNS|IP Address):(.*)$/.exec(entry) ?? []
    if (kind === undefined) return []
    return [kind === 'IP Address' && isIPv6(name) ? canonicalV6(name) : name]
  })
}

/** A certificate's subject in one line: `O=Reeve, CN=…`. */
export function subjectOf({ subject }: X509Certificate): string {
  return (subject ?? '').split('\n').join(', ')
}
