import { fold } from '../../text/fold.ts'
import type { DocumentOperation, OpenApiDocument, Parameter, Schema } from './openapi-document.ts'

/** A route as shown in the reference. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly group: string
  readonly summary: string
  readonly access: 'public' | 'session' | 'admin'
  readonly permissions: readonly string[]
  readonly parameters: readonly Parameter[]
  /** `json` with its schema, `raw` bytes, or none. */
  readonly body: {
    readonly kind: 'json' | 'raw'
    readonly required: boolean
    readonly schema: Schema
    readonly note: string
  } | null
  readonly answers: readonly Answer[]
  readonly errors: readonly { readonly status: string; readonly code: string; readonly title: string }[]
}

export interface Answer {
  readonly status: string
  readonly description: string
  readonly mediaType: string | null
  readonly schema: Schema | null
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Every route of the document, in order, by group. */
export function operationsOf(document: OpenApiDocument): readonly Operation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => (methods[method] ? [operationOf(path, method, methods[method])] : [])),
  )
  const groups = document.tags.map(({ name }) => name)
  return all.toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group))
}

/** Routes whose method, path, summary or error codes contain every word. */
export function findOperations(operations: readonly Operation[], query: string): readonly Operation[] {
  const words = fold(query.trim())
    .text.split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return operations
  return operations.filter(({ method, path, summary, group, errors }) => {
    const text = fold([method, path, summary, group, ...errors.map(({ code }) => code)].join(' ')).text
    return words.every((word) => text.includes(word))
  })
}

function operationOf(path: string, method: string, operation: DocumentOperation): Operation {
  const responses = Object.entries(operation.responses)
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    group: operation.tags[0] ?? '',
    summary: operation.summary,
    access: operation.security.length === 0 ? 'public' : operation['x-admin'] === true ? 'admin' : 'session',
    permissions: operation['x-permissions'] ?? [],
    parameters: operation.parameters ?? [],
    body: bodyOf(operation.requestBody),
    answers: responses
      .filter(([status]) => Number(status) < 400)
      .map(([status, { description, content }]) => {
        const [mediaType, first] = Object.entries(content ?? {})[0] ?? [null, undefined]
        return { status, description, mediaType, schema: first?.schema ?? null }
      }),
    errors: responses
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, { description }]) =>
        [...description.matchAll(/`(\w+)`: (.*?)(?=\. `|$)/g)].map(([, code = '', title = '']) => ({
          status,
          code,
          title,
        })),
      ),
  }
}

function bodyOf(given: DocumentOperation['requestBody']): Operation['body'] {
  if (given === undefined) return null
  const schema = given.content['application/json']?.schema
  return {
    kind: schema === undefined ? 'raw' : 'json',
    required: given.required,
    schema: schema ?? {},
    note: given.description ?? '',
  }
}
