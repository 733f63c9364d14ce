import type { ArgumentToken } from '../../../contract/argument-tokens.ts'
import type { DirectTexts } from './direct-texts.ts'
import { isSchema, schemaTypes, type Schema } from './tool-usage.ts'
import { jsonValue } from '../../kernel/text/json-value.ts'

type Value = { value: unknown } | { expected(texts: DirectTexts): string }

/**
 * A typed word converted to what the schema wants, or what was expected instead. Without a type it is parsed as JSON if
 * it looks like it.
 */
export function argumentValue(token: Pick<ArgumentToken, 'text' | 'quoted'>, schema: unknown): Value {
  if (!isSchema(schema)) return { value: guess(token) }
  const allowed = schema.const !== undefined ? [schema.const] : schema.enum
  if (Array.isArray(allowed)) return oneOf(token.text, allowed)
  const types = schemaTypes(schema)
  if (types.length === 0) return { value: guess(token) }
  if (token.quoted && types.includes('string')) return { value: token.text }
  for (const type of ORDER.filter((one) => types.includes(one))) {
    const value = READERS[type]!(token, schema)
    if (value !== undefined) return { value }
  }
  return { expected: (texts) => types.map((type) => texts.types[type] ?? type).join(` ${texts.or} `) }
}

/** From narrowest to widest: a string accepts everything, so it comes last. */
const ORDER = ['null', 'boolean', 'integer', 'number', 'object', 'array', 'string']
type Reader = (token: Pick<ArgumentToken, 'text' | 'quoted'>, schema: Schema) => unknown
const READERS: Record<string, Reader> = {
  null: ({ text }) => (text === 'null' ? null : undefined),
  boolean: ({ text }) => ({ true: true, yes: true, on: true, false: false, no: false, off: false })[text.toLowerCase()],
  // Beyond 2^53 a number would silently change its value.
  integer: ({ text }) => (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined),
  number: ({ text }) => (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined),
  object: ({ text }) => fromJson(text, (value) => isSchema(value)),
  array: (token, schema) => {
    if (!token.quoted && token.text.startsWith('[')) return fromJson(token.text, Array.isArray)
    // A single item; repeating the key adds more.
    const item = argumentValue(token, schema.items ?? {})
    return 'value' in item ? [item.value] : undefined
  },
  string: ({ text }) => text,
}

function oneOf(text: string, allowed: unknown[]): Value {
  const folded = text.toLowerCase()
  const found =
    allowed.find((value) => String(value) === text) ?? allowed.find((value) => String(value).toLowerCase() === folded)
  return found === undefined ? { expected: (texts) => texts.oneOf(allowed.map(String)) } : { value: found }
}

function guess({ text, quoted }: Pick<ArgumentToken, 'text' | 'quoted'>): unknown {
  if (quoted) return text
  const value = fromJson(text, () => true)
  return value === undefined || (typeof value === 'number' && !Number.isSafeInteger(Math.trunc(value))) ? text : value
}

function fromJson(text: string, fits: (value: unknown) => boolean): unknown {
  const value = jsonValue(text)
  return fits(value) ? value : undefined
}
