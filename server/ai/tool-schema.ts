import { toldSchema } from '../kernel/text/told-schema.ts'

type Schema = Record<string, unknown>

/** Keywords that hold one schema, a list of schemas, or schemas by name. */
const ONE = [
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'additionalItems',
]
const LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const NAMED = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']
/** Keywords that mean nothing to a model, and for which some providers reject the request. */
const DROPPED = new Set([
  '$schema',
  '$id',
  'id',
  '$comment',
  '$anchor',
  '$vocabulary',
  'examples',
  'markdownDescription',
  'additionalItems',
])

/** Cached, because a tool keeps its schema while its module runs, and every step describes every tool. */
const MADE = new WeakMap<Schema, Schema>()

/**
 * A tool's input schema in a form every provider accepts: an object at the top without alternatives there, no dialect
 * keywords, forms of older drafts rewritten. It may become wider, never narrower: the runner checks a call against the
 * tool's own schema.
 */
export function toolSchema(schema: Schema): Schema {
  let made = MADE.get(schema)
  if (!made) {
    const cleaned = clean(flattenRoot(withoutRootRef(toldSchema(schema)))) as Schema
    made = { ...cleaned, type: 'object', properties: isSchema(cleaned.properties) ? cleaned.properties : {} }
    MADE.set(schema, made)
  }
  return made
}

/** `{"$ref": "#/definitions/Input", "definitions": {…}}`, as generators write it, becomes the definition itself. */
function withoutRootRef(root: Schema): Schema {
  const [, table, name] =
    typeof root.$ref === 'string' ? (/^#\/(\$defs|definitions)\/([^/]+)$/.exec(root.$ref) ?? []) : []
  if (table === undefined || name === undefined) return root
  const { $ref: _ref, ...rest } = root
  const target = isSchema(root[table]) ? root[table][name] : undefined
  return isSchema(target) ? { ...rest, ...target } : rest
}

/**
 * OpenAI and Anthropic reject anyOf, oneOf and allOf at the top: the properties of all branches are merged into one
 * set.
 */
function flattenRoot(root: Schema): Schema {
  const {
    anyOf,
    oneOf,
    allOf,
    not: _not,
    enum: _enum,
    const: _const,
    if: _if,
    then: _then,
    else: _else,
    ...rest
  } = root
  const all = schemas(allOf)
  const alternatives = [schemas(anyOf), schemas(oneOf)].filter((list) => list.length > 0)
  if (all.length === 0 && alternatives.length === 0) return rest
  const parts = [...all, ...alternatives.flat()].map(flattenRoot)
  const properties = Object.assign(
    {},
    ...[...parts, rest].map((part) => (isSchema(part.properties) ? part.properties : {})),
  )
  const required = new Set([...names(rest.required), ...all.flatMap((part) => names(flattenRoot(part).required))])
  for (const list of alternatives) {
    // Only what every alternative requires is required.
    const [first, ...others] = list.map((branch) => new Set(names(flattenRoot(branch).required)))
    for (const name of first ?? []) if (others.every((other) => other.has(name))) required.add(name)
  }
  // A branch's own `additionalProperties: false` would forbid what the other branches allow.
  const { additionalProperties: _closed, ...open } = rest
  return { ...open, properties, ...(required.size > 0 ? { required: [...required] } : {}) }
}

function clean(value: unknown): unknown {
  if (!isSchema(value)) return value
  const schema: Schema = Object.fromEntries(Object.entries(value).filter(([key]) => !DROPPED.has(key)))
  // Draft 2019 and older: a list of item schemas by position. Not every provider knows prefixItems, so an item may
  // match any of them.
  if (Array.isArray(schema.items)) schema.items = schema.items.length > 0 ? { anyOf: schema.items } : {}
  if (Array.isArray(schema.prefixItems)) {
    schema.items ??= schema.prefixItems.length > 0 ? { anyOf: schema.prefixItems } : {}
    delete schema.prefixItems
  }
  // OpenAI and Google reject an array without an item schema, and do not accept `true` or `false` as one.
  if (ofType(schema, 'array') && !isSchema(schema.items)) schema.items = {}
  // Draft 4: booleans that modify minimum and maximum.
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue
    if (schema[exclusive] && typeof schema[bound] === 'number') {
      schema[exclusive] = schema[bound]
      delete schema[bound]
    } else delete schema[exclusive]
  }
  // Google knows enum, not const.
  if ('const' in schema) {
    schema.enum = [schema.const]
    delete schema.const
  }
  // Draft 3: `required: true` on a property.
  if ('required' in schema && !Array.isArray(schema.required)) delete schema.required
  for (const key of ONE) if (isSchema(schema[key])) schema[key] = clean(schema[key])
  for (const key of LIST) if (Array.isArray(schema[key])) schema[key] = schema[key].map(clean)
  for (const key of NAMED) {
    const named = schema[key]
    if (isSchema(named))
      schema[key] = Object.fromEntries(Object.entries(named).map(([name, part]) => [name, clean(part)]))
  }
  return schema
}

function ofType(schema: Schema, type: string): boolean {
  return schema.type === type || (Array.isArray(schema.type) && schema.type.includes(type))
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function schemas(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}
