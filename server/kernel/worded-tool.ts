import type { Wording } from './wording.ts'

interface ToolTexts {
  readonly title: string
  readonly description: string
  readonly input_schema: Record<string, unknown>
}

/** Title, description and arguments of a tool as people read them; its definition is untouched. */
export function wordedTool<T extends ToolTexts>(tool: T, { text }: Wording): ToolTexts {
  return {
    title: text(tool.title),
    description: text(tool.description),
    input_schema: worded(tool.input_schema, text) as Record<string, unknown>,
  }
}

/**
 * A JSON Schema with its titles and descriptions translated. What a schema has no words for is given some: an argument's
 * title by its name (`limit`), and words for its choices (`enumNames`) by name and value (`sort=cpu`).
 */
function worded(schema: unknown, text: Wording['text'], name = ''): unknown {
  if (Array.isArray(schema)) return schema.map((item) => worded(item, text, name))
  if (!isRecord(schema)) return schema
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if ((key === 'title' || key === 'description') && typeof value === 'string') return [key, text(value)]
    if (key === 'properties' && isRecord(value)) return [key, wordedMembers(value, text)]
    return NESTED.has(key) ? [key, worded(value, text, name)] : [key, value]
  })
  const title = name === '' || typeof schema['title'] === 'string' ? name : text(name)
  if (title !== name) entries.push(['title', title])
  const choices = Array.isArray(schema['enum']) ? schema['enum'].map(String) : []
  const names = choices.map((value) => wordOf(`${name}=${value}`, value, text))
  if (names.some((word, at) => word !== choices[at])) entries.push(['enumNames', names])
  return Object.fromEntries(entries)
}

const NESTED = new Set(['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'])

function wordedMembers(members: Record<string, unknown>, text: Wording['text']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, worded(value, text, name)]))
}

function wordOf(key: string, value: string, text: Wording['text']): string {
  const word = text(key)
  return word === key ? value : word
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
