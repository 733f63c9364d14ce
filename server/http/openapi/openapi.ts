import { ERRORS, Problem, type ErrorCode } from '../../../contract/errors.ts'
import type { Route } from '../../../contract/route.ts'
import { SchemaWriter } from './openapi-schema.ts'
import { answerOf } from './openapi-answer.ts'

export type Contract = Readonly<Record<string, Readonly<Record<string, Route>>>>

const made = new WeakMap<Contract, Map<string, object>>()

/** The contract as an OpenAPI 3.1 document. Built once per contract and version; callers must not modify it. */
export function openApi(contract: Contract, version: string): { openapi: '3.1.0' } & Record<string, unknown> {
  const versions = made.get(contract) ?? new Map<string, object>()
  made.set(contract, versions)
  const document = versions.get(version) ?? write(contract, version)
  versions.set(version, document)
  return document as { openapi: '3.1.0' }
}

function write(contract: Contract, version: string): object {
  const schemas = new SchemaWriter()
  const problem = schemas.write(Problem, 'output', 'Problem')
  const paths: Record<string, Record<string, object>> = {}
  for (const [group, routes] of Object.entries(contract)) {
    for (const [name, route] of Object.entries(routes)) {
      const operation = operationOf(group, name, route, schemas)
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Reeve', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    tags: Object.keys(contract).map((name) => ({ name })),
    paths,
    components: {
      schemas: { Problem: problem, ...schemas.shared },
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'reeve_session',
          description: '`__Host-reeve_session` over HTTPS',
        },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'The session’s token, with every change',
        },
        token: { type: 'http', scheme: 'bearer', description: 'An access token; needs no CSRF token' },
        mcp_token: { type: 'http', scheme: 'bearer', description: 'An access token for MCP clients' },
      },
    },
  }
}

function operationOf(group: string, name: string, route: Route, schemas: SchemaWriter): object {
  const id = `${group}_${name}`
  return {
    operationId: id,
    summary: route.summary,
    tags: [group],
    security: securityOf(route),
    ...(route.access === 'admin' ? { 'x-admin': true } : {}),
    ...(route.sessionOnly === undefined ? {} : { 'x-session-only': true }),
    ...(route.freshSignIn === undefined ? {} : { 'x-fresh-sign-in': true }),
    ...(route.tokenNeeds === undefined ? {} : { 'x-token-needs': route.tokenNeeds }),
    ...(route.permissions === undefined ? {} : { 'x-permissions': route.permissions }),
    ...(route.rateLimit === undefined ? {} : { 'x-requests-per-minute': route.rateLimit }),
    ...(route.sharedLimit === undefined ? {} : { 'x-limit-of-all-processes': true }),
    ...parametersOf(route, id, schemas),
    ...requestBodyOf(route, id, schemas),
    responses: { ...answerOf(route.response, id, schemas), ...unchangedOf(route), ...errorsOf(route) },
  }
}

function securityOf({ access, audience, method, sessionOnly, freshSignIn }: Route): object[] {
  if (access === 'public') return []
  if (audience === 'mcp') return [{ mcp_token: [] }]
  const session = method === 'GET' ? { session: [] } : { session: [], csrf: [] }
  return sessionOnly || freshSignIn ? [session] : [session, { token: [] }]
}

function parametersOf(route: Route, id: string, schemas: SchemaWriter): object {
  const parameters = (['path', 'query', 'header'] as const).flatMap((place) => {
    const schema = { path: route.params, query: route.query, header: route.headers }[place]
    if (schema === undefined) return []
    const written = schemas.write(schema, 'input', `${id}_${place}`) as { properties?: object; required?: string[] }
    return Object.entries(written.properties ?? {}).map(([name, item]: [string, unknown]) => ({
      name,
      in: place,
      required: place === 'path' || (written.required ?? []).includes(name),
      schema: item,
    }))
  })
  if (route.revised)
    parameters.push({ name: 'if-none-match', in: 'header', required: false, schema: { type: 'string' } })
  return parameters.length === 0 ? {} : { parameters }
}

function unchangedOf({ revised }: Route): object {
  const headers = { ETag: { schema: { type: 'string' } } }
  return revised === undefined ? {} : { 304: { description: 'Unchanged since the answer with this ETag', headers } }
}

function requestBodyOf({ body }: Route, id: string, schemas: SchemaWriter): object {
  if (body === undefined) return {}
  if (body.kind === 'raw') {
    return { requestBody: { required: true, description: `At most ${body.limit} bytes`, content: { '*/*': {} } } }
  }
  const schema = schemas.write(body.schema, 'input', `${id}_body`)
  return { requestBody: { required: body.optional !== true, content: { 'application/json': { schema } } } }
}

/** Everything the gate and the checks of this route may answer in addition to what it declares. */
function errorsOf(route: Route): object {
  const codes = new Set<ErrorCode>([...route.errors, 'internal', 'stopping'])
  if (route.params !== undefined) codes.add('not_found')
  if (route.query !== undefined || route.headers !== undefined) codes.add('invalid_request')
  if (route.method !== 'GET') codes.add('foreign_origin')
  if (route.rateLimit !== undefined) codes.add('too_many_attempts')
  if (route.body !== undefined) codes.add('payload_too_large')
  if (route.body?.kind === 'json') for (const code of READING) codes.add(code)
  if (route.access !== 'public') codes.add('not_signed_in')
  if (route.access !== 'public' && route.method !== 'GET' && route.audience === undefined) codes.add('csrf_mismatch')
  // For a user who isn't an administrator, a denying rule, or an access token that does not cover it.
  if (route.access !== 'public') codes.add('forbidden')
  if (route.permissions !== undefined && route.onAsk !== 'card') codes.add('approval_required')
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status)
  return Object.fromEntries([...byStatus].sort(([a], [b]) => a - b).map(([status, list]) => [status, problemOf(list)]))
}

const READING = ['malformed_json', 'invalid_request', 'unsupported_media_type'] as const

function problemOf(codes: readonly ErrorCode[]): object {
  const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }] }
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}`).join('. '),
    content: { 'application/problem+json': { schema } },
  }
}
