import { HOST_ARGUMENT, MACHINE_MODULE } from '../../contract/host-values.ts'
import { PROCEDURE_LIMITS } from '../../contract/procedure-limits.ts'
import type { Param, ParamTest } from '../../contract/procedure-values.ts'
import { RULE_LIMITS } from '../../contract/rule-limits.ts'
import type { ArgumentField } from '../arguments/argument-fields.ts'
import { type ParamFields, toFields } from './param-kinds.ts'

type Plain = string | number | boolean

/**
 * The parameter that a value in a field could become: with the condition that the schema suggests, and the value as what the
 * form of a run begins with. Null where there is none: of nothing, of secrets, of objects, and of texts with several lines.
 */
export function paramFor(
  tool: string,
  field: ArgumentField,
  given: unknown,
  others: readonly Pick<ParamFields, 'name' | 'title'>[],
): ParamFields | null {
  const value = given ?? field.schema['default']
  const test = field.kind === 'secret' ? null : testFor(tool, field, value)
  if (test === null) return null
  const base = nameOf(field.name)
  const title = field.title.slice(0, PROCEDURE_LIMITS.name - 3)
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}_${number}`
    const called = number === 1 ? title : `${title} ${number}`
    if (others.some((other) => other.name === name || other.title === called)) continue
    return toFields({ name, title: called, test, preset: value })
  }
}

/** Whether what the parameter takes is of a type that the field takes. */
export function suits({ kind, choices, untyped }: ArgumentField, { test }: Pick<Param, 'test'>): boolean {
  if (untyped || kind === 'json') return true
  if ('each' in test) return kind === 'list'
  if ('in' in test || 'is' in test) {
    const values = 'in' in test ? test.in : [test.is]
    return kind === 'choice'
      ? values.every((value) => choices.includes(String(value)))
      : values.every((value) => TYPES[kind] === typeof value)
  }
  const text = 'hosts' in test || 'any' in test || 'under' in test || 'host' in test
  return TYPES[kind] === (text ? 'string' : 'number')
}

/** Of what stands in a field of this kind; lists and choices are compared by what is in them. */
const TYPES: Readonly<Record<ArgumentField['kind'], string | null>> = {
  text: 'string',
  secret: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  choice: null,
  list: null,
  json: null,
}

function testFor(tool: string, field: ArgumentField, value: unknown): ParamTest | null {
  if (Array.isArray(value)) return listTest(field, value)
  if (!isPlain(value)) return null
  if (field.name === HOST_ARGUMENT && tool.startsWith(`${MACHINE_MODULE}.`)) return { hosts: ['#all'] }
  const choices = field.values.filter(isPlain)
  if (choices.length > 0 && choices.length <= RULE_LIMITS.values) return { in: choices }
  if (typeof value === 'number') return range(field.schema, value)
  return typeof value === 'boolean' ? { in: [true, false] } : textTest(field, value)
}

function textTest({ schema }: ArgumentField, value: string): ParamTest | null {
  if (/\p{C}/u.test(value) || value.trim() === '' || value.length > RULE_LIMITS.text) return null
  const host = schema['format'] === 'uri' ? hostOf(value) : null
  if (host !== null) return { host: [host] }
  // What begins like an option of a program is no word.
  return value.startsWith('-') ? { in: [value] } : { any: true }
}

/** Those of the schema, else those that are there. */
function listTest({ schema }: ArgumentField, values: readonly unknown[]): ParamTest | null {
  const items = (schema['items'] ?? {}) as Record<string, unknown>
  const named: readonly unknown[] = Array.isArray(items['enum']) ? items['enum'] : values
  if (named.length === 0 || named.length > RULE_LIMITS.values || !named.every(isPlain)) return null
  if (named === values && values.every((value) => typeof value === 'number'))
    return { each: range(items, Math.min(...values)) }
  return { each: { in: [...named] } }
}

/** A range has an end: zero, where the schema names none. */
function range({ minimum, maximum }: Readonly<Record<string, unknown>>, value: number): { min?: number; max?: number } {
  const ends = { ...(isBound(minimum) && { min: minimum }), ...(isBound(maximum) && { max: maximum }) }
  return Object.keys(ends).length > 0 ? ends : { min: Math.min(0, value) }
}

/** Not the largest whole number there is, which schemas name where nothing is meant. */
function isBound(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function hostOf(value: string): string | null {
  return URL.canParse(value) && /^https?:/i.test(value) ? new URL(value).host : null
}

/** As the server takes names of parameters, with room for a number. */
function nameOf(argument: string): string {
  const name = argument
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '_')
    .replace(/^[_\d]+|_+$/g, '')
    .slice(0, 28)
  return name === '' ? 'value' : name
}
