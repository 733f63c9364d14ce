import { type OpenApiDocument, resolveSchema, type Schema } from './openapi-document.ts'

const DEEPEST = 6

/** An example value for a schema, with required and optional fields and simple values. */
export function schemaExample(document: OpenApiDocument, schema: Schema, depth = 0): unknown {
  const real = resolveSchema(document, schema)
  if (real.default !== undefined) return real.default
  if (real.const !== undefined) return real.const
  if (real.enum !== undefined) return real.enum[0] ?? null
  const choices = real.anyOf ?? real.oneOf
  if (choices !== undefined) return schemaExample(document, choices[0] ?? {}, depth)
  if (real.allOf !== undefined)
    return Object.assign({}, ...real.allOf.map((each) => schemaExample(document, each, depth) as object))
  switch (typeOf(real)) {
    case 'object':
      return objectExample(document, real, depth)
    case 'array':
      return depth >= DEEPEST || real.items === undefined ? [] : [schemaExample(document, real.items, depth + 1)]
    case 'string':
      return textExample(real)
    case 'integer':
    case 'number':
      return Math.max(real.minimum ?? 0, Math.min(1, real.maximum ?? 1))
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return {}
  }
}

function typeOf({ type, properties }: Schema): string | undefined {
  return typeof type === 'string' ? type : (type?.[0] ?? (properties === undefined ? undefined : 'object'))
}

function objectExample(document: OpenApiDocument, schema: Schema, depth: number): Record<string, unknown> {
  if (depth >= DEEPEST) return {}
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, each]) => [name, schemaExample(document, each, depth + 1)]),
  )
}

function textExample({ format, pattern, minLength = 0 }: Schema): string {
  if (format === 'date-time') return '2027-01-01T12:00:00Z'
  if (format === 'uri') return 'https://example.com'
  const prefix = /^\^\(?([a-z]{2,4}_)/.exec(pattern ?? '')?.[1]
  return prefix === undefined ? 'text'.padEnd(Math.min(minLength, 200), ' text') : `${prefix}…`
}
