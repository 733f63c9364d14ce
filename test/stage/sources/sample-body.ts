import { z } from 'zod'
import type { Route } from '../../../contract/route.ts'

type Schema = Record<string, unknown> & {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
}

/** Tried in turn for a string with a pattern. */
const WORDS = [
  'a',
  'files.read',
  'a.b',
  'a'.repeat(64),
  'tool:system.host',
  '/path',
  '0'.repeat(32),
  'a.service',
  '22:00',
]

/**
 * A body that the route's schema accepts, made from the schema alone, with as many of its fields as go together. Fields
 * named after a kind of id (`folder_id`, `attachment_ids`) get that id from `ids`. Undefined for a route without JSON.
 * Throws when it cannot make one: then the schema needs a word more in this file.
 */
export function sampleBody(
  { body, path }: Route,
  ids: Readonly<Record<string, string>>,
): Record<string, unknown> | undefined {
  if (body?.kind !== 'json') return undefined
  const schema = z.toJSONSchema(body.schema, { io: 'input', unrepresentable: 'any' }) as Schema
  const names = Object.keys(schema.properties ?? {})
  const required = schema.required ?? []
  const candidates = [names, ...names.map((name) => [...required, name]), required]
  for (const chosen of candidates) {
    const sample = sampleObject(schema, chosen, ids)
    // Where a list accepts only what goes together, it is empty; a text may have to be a mail address.
    for (const change of [{}, emptied(sample), 'address' in sample ? { address: 'a@example.com' } : {}]) {
      const changed = { ...sample, ...change }
      if (body.schema.safeParse(changed).success) return changed
    }
  }
  throw new Error(`No sample for the body of ${path}: ${JSON.stringify(sampleObject(schema, names, ids))}`)
}

function emptied(sample: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sample).map(([name, value]): [string, unknown] => [name, Array.isArray(value) ? [] : value]),
  )
}

function sampleObject(
  schema: Schema,
  names: readonly string[],
  ids: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    [...new Set(names)].map((name) => [name, sampleField(name, schema.properties![name]!, ids)]),
  )
}

function sampleField(name: string, schema: Schema, ids: Readonly<Record<string, string>>): unknown {
  if (name === 'attachment_ids') return [ids.file_id]
  if (name === 'redirect_uris') return ['https://server.example/callback']
  return ids[name] ?? sampleValue(schema, ids)
}

function sampleValue(schema: Schema, ids: Readonly<Record<string, string>>): unknown {
  const { anyOf, oneOf = anyOf, enum: values } = schema as { anyOf?: Schema[]; oneOf?: Schema[]; enum?: unknown[] }
  if (oneOf) return sampleValue(oneOf[0]!, ids)
  if (values) return values[0]
  if ('const' in schema) return schema.const
  // Of a value that may be null: what it is otherwise.
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return sampleText(schema)
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'array':
      return [sampleValue((schema.items ?? {}) as Schema, ids)]
    case 'object':
      return sampleObject(schema, Object.keys(schema.properties ?? {}), ids)
    default:
      return 'a'
  }
}

function sampleText({ format, pattern, maxLength }: Schema): string {
  if (format === 'date-time') return '2099-01-01T00:00:00Z'
  if (format === 'uri') return 'https://server.example/mcp'
  if (typeof pattern !== 'string')
    return 'sample text of some length'.slice(0, typeof maxLength === 'number' ? maxLength : undefined).trim()
  return WORDS.find((word) => new RegExp(pattern, 'u').test(word)) ?? ''
}
