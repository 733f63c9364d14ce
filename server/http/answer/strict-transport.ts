import { isIP } from 'node:net'

/** Half a year, for this host name only. */
const VALUE = 'max-age=15552000'

export interface StrictTransportOptions {
  /** Where this server's certificate comes from; `off`: a proxy may have one. */
  readonly tls: 'local' | 'files' | 'off'
  readonly publicUrl: string | null
}

/**
 * Decides when browsers are told to use only HTTPS for this host from now on (Strict-Transport-Security): only with a
 * certificate issued outside of Reeve. With the local authority, a browser that does not know it could no longer
 * proceed past the warning, and an IP address or `localhost` may be another service tomorrow.
 */
export function strictTransport({ tls, publicUrl }: StrictTransportOptions) {
  const byProxy = tls === 'off' && publicUrl?.startsWith('https:') === true
  /** The header's value, or null. */
  return (request: { readonly protocol: string; readonly hostname: string }): string | null => {
    if (tls !== 'files' && !byProxy) return null
    return request.protocol === 'https' && isDomain(request.hostname) ? VALUE : null
  }
}

function isDomain(hostname: string): boolean {
  return hostname.includes('.') && isIP(hostname) === 0 && !hostname.startsWith('[') && !hostname.endsWith('.localhost')
}
