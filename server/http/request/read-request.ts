import type { FastifyRequest } from 'fastify'
import type { Route } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { notFound } from '../answer/problem.ts'
import { readJson } from './read-json.ts'
import { readRaw } from './read-raw.ts'
import { parseOrRefuse } from './request-problems.ts'

export interface RequestParts {
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: unknown
}

const NONE = Object.freeze({})

/**
 * Reads and validates what a route's contract declares. Parameters that cannot exist are 404, everything else 422.
 * @throws {AppError} not_found, invalid_request, malformed_json, unsupported_media_type, payload_too_large
 */
export async function readRequest(route: Route, request: FastifyRequest, language: string): Promise<RequestParts> {
  let params: unknown = NONE
  if (route.params !== undefined) {
    const checked = route.params.safeParse(request.params)
    if (!checked.success) throw notFound()
    params = checked.data
  }
  const query = route.query === undefined ? NONE : parseOrRefuse(route.query, request.query, language)
  const headers = route.headers === undefined ? NONE : parseOrRefuse(route.headers, request.headers, language)
  return { params, query, headers, body: await readBody(route, request, language) }
}

async function readBody({ body }: Route, request: FastifyRequest, language: string): Promise<unknown> {
  if (body === undefined) return undefined
  if (body.kind === 'raw') return readRaw(request.raw, body.limit)
  const value = await readJson(request.raw, body)
  if (value !== undefined) return parseOrRefuse(body.schema, value, language)
  if (body.optional === true) return parseOrRefuse(body.schema, {}, language)
  throw new AppError('invalid_request', say`This request needs a JSON body.`, {
    errors: [{ path: '', message: 'A JSON body is required' }],
  })
}
