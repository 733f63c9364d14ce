import type { IncomingMessage } from 'node:http'

/**
 * The host and port named by the request. `X-Forwarded-Host` is ignored: a proxy that does not set it passes on what
 * the client sent, and every proxy can forward the original `Host` header.
 */
export function hostOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return headers.host ?? ''
}

/** Without the port; an IPv6 address keeps its brackets. */
export function hostnameOf(request: Pick<IncomingMessage, 'headers'>): string {
  return hostOf(request).replace(/:\d*$/, '')
}

/** More than one `Host` header: a proxy and the service could each believe a different one (RFC 9112 §3.2). */
export function namesManyHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]!.toLowerCase() === 'host') hosts++
  return hosts > 1
}
