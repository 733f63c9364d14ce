import type { FastifyRequest } from 'fastify'

/** Decides whether a changing request comes from our own pages, by what the browser says about its origin. */
export interface OriginRule {
  readonly secure: (request: FastifyRequest) => boolean
  readonly foreign: (request: FastifyRequest) => boolean
  /** Where the person reached the service, `https://reeve.example`; empty when the request does not say. */
  readonly own: (request: FastifyRequest) => string
}

/** @param publicUrl the address under which people reach the service; null means "whatever the Host header says" */
export function originRule(publicUrl: string | null): OriginRule {
  const ours = publicUrl === null ? null : new URL(publicUrl)
  return {
    secure: (request) => ours?.protocol === 'https:' || request.protocol === 'https',
    own: (request) => ours?.origin ?? parse(`${request.protocol}://${request.host}`)?.origin ?? '',
    foreign(request) {
      if (request.headers['sec-fetch-site'] === 'cross-site') return true
      const { origin } = request.headers
      // Only browsers send it; scripts and older same-origin requests leave it out, and CSRF still stands.
      if (origin === undefined) return false
      const from = parse(origin)
      if (from === null) return true
      if (ours !== null) return from.origin !== ours.origin
      // The scheme of the origin drops its default port on both sides.
      return parse(`${from.protocol}//${request.host}`)?.host !== from.host
    },
  }
}

function parse(url: string): URL | null {
  const parsed = URL.parse(url)
  return parsed !== null && (parsed.protocol === 'http:' || parsed.protocol === 'https:') ? parsed : null
}
