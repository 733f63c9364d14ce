import type { FastifyRequest } from 'fastify'
import { hostnameOf, hostOf } from './host-of.ts'

/** How programs on the same machine name it. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Decides whether a modifying request comes from our own pages, by the origin the browser reports. */
export interface OriginRule {
  readonly secure: (request: FastifyRequest) => boolean
  readonly foreign: (request: FastifyRequest) => boolean
  /** Whether it names another host than the service has: whoever sent it believes to talk to somebody else. */
  readonly misnamed: (request: FastifyRequest) => boolean
  /**
   * The address at which the person reached the service, `https://reeve.example`; empty when the request does not tell.
   */
  readonly own: (request: FastifyRequest) => string
}

/** @param publicUrl the address under which people reach the service; null means "whatever the Host header says" */
export function originRule(publicUrl: string | null): OriginRule {
  const ours = publicUrl === null ? null : new URL(publicUrl)
  return {
    secure: (request) => ours?.protocol === 'https:' || request.protocol === 'https',
    own: (request) => ours?.origin ?? parse(`${request.protocol}://${hostOf(request)}`)?.origin ?? '',
    misnamed(request) {
      if (ours === null || LOOPBACK.has(hostnameOf(request.raw).toLowerCase())) return false
      return parse(`${ours.protocol}//${hostOf(request)}`)?.host !== ours.host
    },
    foreign(request) {
      if (request.headers['sec-fetch-site'] === 'cross-site') return true
      const { origin } = request.headers
      // Only browsers send it; scripts and older same-origin requests omit it, and CSRF protection still applies.
      if (origin === undefined) return false
      const from = parse(origin)
      if (from === null) return true
      if (ours !== null) return from.origin !== ours.origin
      // The scheme of the origin removes its default port on both sides.
      return parse(`${from.protocol}//${hostOf(request)}`)?.host !== from.host
    },
  }
}

function parse(url: string): URL | null {
  const parsed = URL.parse(url)
  return parsed !== null && (parsed.protocol === 'http:' || parsed.protocol === 'https:') ? parsed : null
}
