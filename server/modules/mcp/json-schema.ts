import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

// The schema comes from a module: unknown keywords and formats are ignored, and nothing is fetched or coerced.
const OPTIONS: Options = {
  strict: false,
  validateSchema: false,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
}

/**
 * Compiles a JSON Schema (2020-12, or draft 7 and older where `$schema` says so) into a check that returns null or one
 * sentence naming the place and the problem; with `useDefaults` it fills them into the value. @throws {Error} when the schema itself cannot be compiled.
 */
export function compileSchema(schema: object, options: Options = {}): (value: unknown) => string | null {
  const dialect = '$schema' in schema && typeof schema.$schema === 'string' ? schema.$schema : ''
  const { $schema: _dialect, ...rest } = schema as Record<string, unknown>
  const all = { ...OPTIONS, ...options }
  // One instance per schema, because two tools may use the same `$id`.
  const ajv = /draft-0[4-7]/.test(dialect) ? new Ajv(all) : new Ajv2020(all)
  const validate = ajv.compile(withNumericBounds(rest) as object)
  return (value) => (validate(value) ? null : sentence(validate.errors?.[0]))
}

/** Draft 4 wrote `minimum: 0, exclusiveMinimum: true`, and some libraries still do, whatever `$schema` says. */
function withNumericBounds(schema: unknown): unknown {
  if (schema === null || typeof schema !== 'object') return schema
  if (Array.isArray(schema)) return schema.map(withNumericBounds)
  const members: Record<string, unknown> = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withNumericBounds(value)]),
  )
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    // Without a number beside it, it may be an argument of this name.
    if (typeof members[exclusive] !== 'boolean' || typeof members[bound] !== 'number') continue
    if (members[exclusive]) {
      members[exclusive] = members[bound]
      delete members[bound]
    } else delete members[exclusive]
  }
  return members
}

function sentence(error: ErrorObject | undefined): string {
  if (error === undefined) return 'The arguments do not fit.'
  const place = error.instancePath === '' ? 'The arguments' : `"${placeName(error.instancePath)}"`
  const params = error.params as Record<string, unknown>
  switch (error.keyword) {
    case 'required':
      return `"${placeName(`${error.instancePath}/${String(params['missingProperty'])}`)}" is missing.`
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params['additionalProperty'] ?? params['unevaluatedProperty'])
      return `"${placeName(`${error.instancePath}/${name}`)}" is not an argument of this tool.`
    }
    case 'enum':
      return `${place} must be one of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}.`
    case 'const':
      return `${place} must be ${JSON.stringify(params['allowedValue'])}.`
    default:
      return `${place} ${error.message ?? 'is wrong'}.`
  }
}

/** JSON pointer `/args/0` as `args.0`. */
function placeName(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~').slice(0, 200)
}
