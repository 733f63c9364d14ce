type Schema = Record<string, unknown>

/** Keywords that hold one schema, a list of schemas, or schemas by name. What else is an object is a value, and stays. */
const ONE = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'])
const LIST = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const NAMED = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'])
/** Longest text, and most items, that somebody exceeds without meaning to; what is allowed beyond is said by a refusal. */
const LONG = 200
const MANY = 20

const made = new WeakMap<Schema, Schema>()

/**
 * A tool's schema as models are told it: without what says nothing to them, and is checked all the same. Of the built-in
 * tools that is a tenth. Wider than the tool's own, never narrower. Kept with its schema, as long as the tool has it.
 */
export function toldSchema(schema: Schema): Schema {
  let told = made.get(schema)
  if (told === undefined) {
    told = without(schema)
    made.set(schema, told)
  }
  return told
}

function without(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !isNoise(key, value))
      .map(([key, value]) => [key, inside(key, value)]),
  )
}

function isNoise(key: string, value: unknown): boolean {
  switch (key) {
    case '$schema':
      return true
    case 'additionalProperties':
      return value === false
    case 'minLength':
      return value === 1
    case 'maxLength':
      return typeof value === 'number' && value >= LONG
    case 'maxItems':
      return typeof value === 'number' && value >= MANY
    case 'minimum':
    case 'maximum':
      return typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER
    // Names of properties are texts.
    case 'propertyNames':
      return (
        isSchema(value) &&
        value['type'] === 'string' &&
        Object.keys(value).every((each) => each === 'type' || isNoise(each, value[each]))
      )
    default:
      return false
  }
}

function inside(key: string, value: unknown): unknown {
  if (ONE.has(key) && isSchema(value)) return without(value)
  if (LIST.has(key) && Array.isArray(value)) {
    const each = value.map((one: unknown) => (isSchema(one) ? without(one) : one))
    return key === 'anyOf' ? each.flatMap(alternatives) : each
  }
  if (NAMED.has(key) && isSchema(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isSchema(one) ? without(one) : one]))
  return value
}

/** Alternatives of an alternative that says nothing else are as good as its siblings. */
function alternatives(one: unknown): unknown[] {
  const own = isSchema(one) && Object.keys(one).length === 1 ? one['anyOf'] : undefined
  return Array.isArray(own) ? own : [one]
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
