import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, Route } from '../../../contract/route.ts'
import { PRIVATE } from './security-headers.ts'

/** Names the state of what a caller's revised routes answer (app fills it). */
export type RevisionOf = (caller: Caller) => Promise<string>

/** Answers remembered to find one that changed under its ETag. */
const REMEMBERED = 2000

/** Answers a route with `revised` without its handler when the client already has what it would answer. */
export class Revised {
  readonly #revisionOf: RevisionOf
  readonly #answers: Map<string, string> | null

  /** `verify`: run the handler nevertheless, and fail when an answer changes while its ETag doesn't (tests). */
  constructor(revisionOf: RevisionOf, verify: boolean) {
    this.#revisionOf = revisionOf
    this.#answers = verify ? new Map() : null
  }

  /** Sets the answer's ETag; true when the client has it already. */
  async isKnown(request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<boolean> {
    const etag = await this.#etag(caller)
    reply.header('etag', etag)
    return this.#answers === null && names(request.headers['if-none-match'], etag)
  }

  sendUnchanged(reply: FastifyReply): FastifyReply {
    return reply.code(304).header('cache-control', PRIVATE).send()
  }

  /** @throws when this answer differs from one with the same ETag */
  async verify(route: Route, request: FastifyRequest, reply: FastifyReply, caller: Caller, answer: unknown) {
    const etag = reply.getHeader('etag') as string
    // What changed since the ETag was read may be in the answer.
    if (this.#answers === null || (await this.#etag(caller)) !== etag) return
    const key = `${caller.session_id} ${request.url} ${etag}`
    const digest = createHash('sha256').update(JSON.stringify(answer)).digest('base64')
    const before = this.#answers.get(key)
    if (before !== undefined && before !== digest)
      throw new Error(`${route.method} ${request.url}: the answer changed and its ETag ${etag} did not`)
    this.#answers.set(key, digest)
    if (this.#answers.size > REMEMBERED) this.#answers.delete(this.#answers.keys().next().value!)
  }

  /** Weak: the same content, however it is encoded on the way. */
  async #etag(caller: Caller): Promise<string> {
    return `W/"${await this.#revisionOf(caller)}"`
  }
}

/** Whether an If-None-Match header names this ETag (RFC 9110: compared without the mark for weak ones). */
function names(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const bare = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.trim() === '*' || header.split(',').some((tag) => bare(tag) === bare(etag))
}
