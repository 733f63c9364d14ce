import type { PromptTool } from '../../chat/ports/model.ts'
import type { DirectTexts } from './direct-texts.ts'

export type Schema = Record<string, unknown>

/** A description of a tool's arguments, for the answer to a command that could not be parsed. */
export function usage(tool: PromptTool, texts: DirectTexts): string {
  const known = Object.entries(properties(tool.input_schema))
  if (known.length === 0) return texts.takesNothing(tool.name)
  const required = requiredNames(tool.input_schema)
  const lines = known.map(([name, schema]) => {
    const type = isSchema(schema) ? typeInWords(schema, texts) : ''
    return `- \`${name}\`${type === '' ? '' : ` – ${type}`}${required.includes(name) ? `, ${texts.required}` : ''}`
  })
  const shown = required.length > 0 ? required : known.slice(0, 1).map(([name]) => name)
  const example = `/${tool.name} ${shown.map((name) => `${name}=${sample(properties(tool.input_schema)[name])}`).join(' ')}`
  return `${texts.takes(tool.name)}\n\n${lines.join('\n')}\n\n${texts.example} \`${example}\``
}

export function properties(schema: Schema): Record<string, unknown> {
  return isSchema(schema.properties) ? schema.properties : {}
}

/** What must be given. An argument with a default need not be, though many schemas list it as required all the same. */
export function requiredNames(schema: Schema): string[] {
  const known = properties(schema)
  const names = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : []
  return names.filter((name) => {
    const argument = Object.hasOwn(known, name) ? known[name] : undefined
    return !(isSchema(argument) && argument.default !== undefined)
  })
}

/** The JSON types a schema allows; none if it does not say. */
export function schemaTypes(schema: Schema): string[] {
  if (typeof schema.type === 'string') return [schema.type]
  if (Array.isArray(schema.type)) return schema.type.filter((type) => typeof type === 'string')
  const branches = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isSchema) : []))
  // A branch without a type allows anything.
  const types = branches.map(schemaTypes)
  return types.some((list) => list.length === 0) ? [] : [...new Set(types.flat())]
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function typeInWords(schema: Schema, texts: DirectTexts): string {
  if (Array.isArray(schema.enum)) return texts.oneOf(schema.enum.map(String))
  const types = schemaTypes(schema).map((type) => texts.types[type] ?? type)
  return types.join(` ${texts.or} `)
}

function sample(schema: unknown): string {
  if (!isSchema(schema)) return '…'
  const first = schema.default ?? (Array.isArray(schema.enum) ? schema.enum[0] : undefined)
  if (typeof first === 'string' || typeof first === 'number' || typeof first === 'boolean') return JSON.stringify(first)
  const samples: Record<string, string> = {
    integer: '10',
    number: '1.5',
    boolean: 'true',
    array: '["…"]',
    object: '{…}',
  }
  return samples[schemaTypes(schema)[0] ?? ''] ?? '"…"'
}
