import { isTooDeep, namesPrototype } from '../../kernel/text/json-depth.ts'
import { jsonValue } from '../../kernel/text/json-value.ts'

type Fields = Record<string, unknown>

/** Levels of objects and lists that are looked into. */
const DEPTH = 8

/**
 * The arguments with what can only be meant by them where the schema takes one type and another came: `"2"` for a number,
 * `"true"` for a boolean, JSON in a string for an object or a list, a whole number for a string, null for what may be left
 * out. Everything else stays as it is, for the model to mend. The same object when nothing is to be done.
 */
export function repairArguments(schema: Fields, input: Fields): Fields {
  return repairedObject(schema, input, 0)
}

function repairedObject(schema: Fields, given: Fields, depth: number): Fields {
  if (depth > DEPTH || !isFields(schema.properties)) return given
  const { properties } = schema
  const required = Array.isArray(schema.required) ? schema.required : []
  const entries = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!isFields(known)) return [[name, value]]
    if (value === null && !required.includes(name) && !takesNull(known)) return []
    return [[name, repaired(known, value, depth)]]
  })
  const changed = entries.length < Object.keys(given).length || entries.some(([name, value]) => value !== given[name])
  return changed ? Object.fromEntries(entries) : given
}

function repaired(schema: Fields, value: unknown, depth: number): unknown {
  const { type } = schema
  if (typeof value === 'string') return typeof type === 'string' ? fromText(type, value) : value
  if (type === 'string' && Number.isSafeInteger(value)) return String(value)
  if (type === 'object' && isFields(value)) return repairedObject(schema, value, depth + 1)
  if (type === 'array' && Array.isArray(value) && isFields(schema.items) && depth < DEPTH) {
    const { items } = schema
    const all = value.map((item: unknown) => repaired(items, item, depth + 1))
    return all.some((item, at) => item !== value[at]) ? all : value
  }
  return value
}

function fromText(type: string, text: string): unknown {
  switch (type) {
    case 'integer':
    case 'number': {
      const number = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
      return (type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)) ? number : text
    }
    case 'boolean':
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text
    case 'object':
    case 'array': {
      const value = jsonValue(text)
      const fits = type === 'array' ? Array.isArray(value) : isFields(value)
      // What would be refused as it is must not come in as text.
      return fits && !isTooDeep(value) && !namesPrototype(value) ? value : text
    }
    default:
      return text
  }
}

/** Unless the schema says by types or values that it does not. */
function takesNull({ type, enum: values, nullable, ...more }: Fields): boolean {
  if (nullable === true) return true
  if (Array.isArray(values)) return values.includes(null)
  if (typeof type === 'string') return type === 'null'
  if (Array.isArray(type)) return type.includes('null')
  return !Object.hasOwn(more, 'const') || more['const'] === null
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
