import type { ToolEntry } from '../../../contract/chat.ts'

/** The text that runs a tool directly: `/module.tool key=value`. */
export function toolName(tool: ToolEntry): string {
  return `${tool.module}.${tool.tool}`
}

/**
 * The part of a command typed so far (`sys` in `/sys`), or null when the text is not a command or its name is complete.
 */
export function commandQuery(text: string, caret: number): string | null {
  const match = /^\/([\w.-]*)$/.exec(text.slice(0, caret))
  return match && !/^\S/.test(text.slice(caret)) ? (match[1] ?? '') : null
}

/** Tools that match the query: first those whose name or title starts with it, then those that contain every word. */
export function findTools(tools: readonly ToolEntry[], query: string): readonly ToolEntry[] {
  const wanted = query.toLowerCase()
  if (wanted === '') return tools
  const begins: ToolEntry[] = []
  const contains: ToolEntry[] = []
  for (const tool of tools) {
    const name = toolName(tool).toLowerCase()
    const title = tool.title.toLowerCase()
    if (name.startsWith(wanted) || tool.tool.toLowerCase().startsWith(wanted) || title.startsWith(wanted))
      begins.push(tool)
    else if (name.includes(wanted) || title.includes(wanted)) contains.push(tool)
  }
  return [...begins, ...contains]
}

/** The tool that a command names, if it is among these. */
export function commandTool(tools: readonly ToolEntry[], text: string): ToolEntry | null {
  const name = /^\/([\w.-]+)(?=\s)/.exec(text)?.[1]
  return tools.find((tool) => toolName(tool) === name) ?? null
}

export interface ToolArgument {
  readonly name: string
  /** `string`, `integer`, `a | b` for a choice, `string[]` for a list. */
  readonly type: string
  readonly required: boolean
  readonly description: string
}

/** The arguments that a tool's JSON schema declares, required ones first. */
export function toolArguments(schema: ToolEntry['input_schema']): readonly ToolArgument[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(properties)
    .map(([name, value]) => ({
      name,
      type: typeOf(value),
      // With a default it can be left out, whatever the schema lists as required.
      required: required.includes(name) && !(isRecord(value) && value['default'] !== undefined),
      description: isRecord(value) && typeof value['description'] === 'string' ? value['description'] : '',
    }))
    .toSorted((a, b) => Number(b.required) - Number(a.required))
}

function typeOf(schema: unknown): string {
  if (!isRecord(schema)) return 'any'
  const choices = schema['enum']
  if (Array.isArray(choices)) return choices.map(String).join(' | ')
  const options = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(options)) return options.map(typeOf).join(' | ')
  const type = schema['type']
  if (type === 'array') return `${typeOf(schema['items'])}[]`
  if (Array.isArray(type)) return type.map(String).join(' | ')
  return typeof type === 'string' ? type : 'any'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
