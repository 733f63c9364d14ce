import { cut } from '../../kernel/text/plain-text.ts'
import type { PromptTool } from '../ports/model.ts'
import type { NamedTool } from '../ports/tool-search.ts'

/** A tool that may be offered: as the engine reads it, and as it is known here. */
export interface UsableTool extends NamedTool {
  readonly prompt: PromptTool
}

/** The tool of the service itself with which an engine finds others: no module's name is empty, so it is nobody else's. */
export const FIND_TOOLS = 'find_tools'
export const FINDING = { module: '', tool: FIND_TOOLS } as const

export function isFinding({ module, tool }: { readonly module: string; readonly tool: string }): boolean {
  return module === FINDING.module && tool === FINDING.tool
}

const INPUT_SCHEMA = {
  type: 'object',
  properties: {
    words: { type: 'string', description: 'What is to be done, in a few words, such as: restart a service' },
  },
  required: ['words'],
  additionalProperties: false,
}
/** Characters of its description that name modules. */
const MODULES = 600
/** Characters of a tool's description, and of its arguments, in an answer. */
const LINE = 160

/** How it is described among so many tools. */
export function findingTool(usable: readonly UsableTool[]): PromptTool {
  const modules = [...new Set(usable.map(({ tool }) => tool.module))].join(', ')
  const description =
    `There are ${usable.length} tools, and not all of them are given. This finds others by words of what they do; ` +
    `what it finds can be called from then on. Use it before saying that something cannot be done. Tools of: ${cut(modules, MODULES)}`
  // A schema of its own each time: what it was counted as is remembered by it.
  return { name: FIND_TOOLS, description, input_schema: { ...INPUT_SCHEMA } }
}

/**
 * The words that a call of it looks for, or null if it does not say. Small models name the argument as other searches do
 * (`query`), or give a list: what is the only argument is meant, for nothing runs by it.
 */
export function wordsOf(input: Record<string, unknown>): string | null {
  const values = Object.values(input)
  const given = input.words ?? (values.length === 1 ? values[0] : null)
  const words = Array.isArray(given) ? given.filter((word) => typeof word === 'string').join(' ') : given
  return typeof words === 'string' && words.trim() !== '' ? words : null
}

/** What it answers: a line for each tool. `ready`: those whose definition the engine is given from now on. */
export function foundText(
  found: readonly UsableTool[],
  ready: ReadonlySet<string>,
  all: readonly UsableTool[],
): string {
  if (found.length === 0) {
    const modules = [...new Set(all.map(({ tool }) => tool.module))].join(', ')
    return `No tool has these words. Try others, or the name of a module: ${cut(modules, MODULES)}`
  }
  const lines = found.map(({ name, prompt }) => {
    const [first = ''] = prompt.description.split('\n')
    const note = ready.has(name) ? '' : ' (not given for want of room; call it by this name all the same)'
    return `- ${name}: ${cut(first, LINE)} Arguments: ${cut(argumentsOf(prompt), LINE)}.${note}`
  })
  return [`${found.length} of ${all.length} tools. They can be called now:`, ...lines].join('\n')
}

/** The names of a tool's arguments, those that must be given marked. */
function argumentsOf({ input_schema }: PromptTool): string {
  const { properties, required } = input_schema
  const needed: unknown[] = Array.isArray(required) ? required : []
  const names = properties !== null && typeof properties === 'object' ? Object.keys(properties) : []
  return names.length === 0
    ? 'none'
    : names.map((name) => (needed.includes(name) ? `${name} (required)` : name)).join(', ')
}
