import type { ToolEntry } from '../../contract/chat.ts'

/** A field of the form for one argument of a tool. */
export interface ArgumentField {
  readonly name: string
  /** What the module calls it in the reader's language; its name when it says nothing. */
  readonly title: string
  /** `list`: one item a line; `json`: an object, or whatever has no field of its own. */
  readonly kind: 'text' | 'secret' | 'integer' | 'number' | 'boolean' | 'choice' | 'list' | 'json'
  readonly required: boolean
  readonly description: string
  /** Of a `choice`. */
  readonly choices: readonly string[]
  /** What is sent for each of them. */
  readonly values: readonly unknown[]
  /** What the choices are called, one for each. */
  readonly choiceNames: readonly string[]
  /** What applies when it is left empty; null when the schema doesn't say. */
  readonly fallback: string | null
  /** The items of a `list` are numbers. */
  readonly numbers: boolean
  /** The schema does not say of which type it is. */
  readonly untyped: boolean
  /** As the module declares it. */
  readonly schema: Readonly<Record<string, unknown>>
}

/** The fields for the arguments that a tool's JSON schema declares, required ones first. */
export function argumentFields(schema: ToolEntry['input_schema']): readonly ArgumentField[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(properties)
    .map(([name, value]) => fieldOf(name, isRecord(value) ? value : {}, required.includes(name)))
    .toSorted((a, b) => Number(b.required) - Number(a.required))
}

function fieldOf(name: string, schema: Record<string, unknown>, required: boolean): ArgumentField {
  const { title, description, default: fallback, items } = schema
  const values = choicesOf(schema)
  const choices = values.map(String)
  const itemTypes = typesOf(isRecord(items) ? items : {})
  return {
    name,
    title: typeof title === 'string' && title.trim() !== '' ? title : name,
    kind: kindOf(schema),
    // With a default it can be left empty, whatever the schema lists as required.
    required: required && fallback === undefined,
    description: typeof description === 'string' ? description : '',
    choices,
    values,
    choiceNames: namesOf(schema, choices),
    fallback: fallback === undefined ? null : typeof fallback === 'string' ? fallback : JSON.stringify(fallback),
    numbers: itemTypes.length > 0 && itemTypes.every((type) => type === 'integer' || type === 'number'),
    untyped: choices.length === 0 && typesOf(schema).length === 0,
    schema,
  }
}

function kindOf(schema: Record<string, unknown>): ArgumentField['kind'] {
  if (choicesOf(schema).length > 0) return 'choice'
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.includes('string'))
    return schema['writeOnly'] === true || schema['format'] === 'password' ? 'secret' : 'text'
  if (types.length !== 1) return types.length === 0 ? 'text' : 'json'
  const [type] = types
  if (type === 'integer' || type === 'number' || type === 'boolean') return type
  const items = isRecord(schema['items']) ? typesOf(schema['items']) : []
  const plain = items.length > 0 && items.every((item) => item === 'string' || item === 'integer' || item === 'number')
  return type === 'array' && plain && items.length === 1 ? 'list' : 'json'
}

/** `enumNames`, as in questions of modules; the value itself stays readable, because it is what is typed. */
function namesOf({ enumNames }: Record<string, unknown>, choices: readonly string[]): readonly string[] {
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : []
  return choices.map((choice, at) => {
    const name = names[at]
    if (typeof name !== 'string' || name === '') return choice
    return name.toLowerCase() === choice.toLowerCase() ? name : `${name} (${choice})`
  })
}

function choicesOf(schema: Record<string, unknown>): readonly unknown[] {
  const { enum: all, const: only } = schema
  const values = Array.isArray(all) ? all : only === undefined ? [] : [only]
  return values.filter((value) => value !== null)
}

/** The JSON types that a schema allows; none if it doesn't say. */
function typesOf(schema: Record<string, unknown>): readonly string[] {
  const { type, anyOf, oneOf } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string')
  const branches = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []))
  return [...new Set(branches.flatMap(typesOf))]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
