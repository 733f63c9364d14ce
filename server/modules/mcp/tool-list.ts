import type { Client, Tool as ToolDefinition } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { MODULE_TOOLS_LIMIT, type Reach } from '../../../contract/modules.ts'
import { say, Sentence } from '../../kernel/sentence.ts'
import { cut, visible } from '../../kernel/text/plain-text.ts'
import type { Icons } from '../../chat/ports/tools.ts'
import { headerProblem } from './header-parameters.ts'
import { iconReader } from './icons.ts'
import { pinTool, type PinnedTool, TOOL_NAME } from './pinned-tool.ts'
import { readPages } from './read-pages.ts'
import { fittingHelpers } from './side-tools.ts'
import { readableText } from '../result/readable-text.ts'

const DEFINITION_LIMIT = 512 * 1024
const DEPTH_LIMIT = 64

const Definition = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  // Some servers leave out what the protocol requires, and mean it.
  inputSchema: z.looseObject({ type: z.literal('object').default('object') }),
  outputSchema: z.looseObject({}).optional(),
  annotations: z
    .looseObject({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
    })
    .optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
})

export interface ToolOwner {
  readonly module: string
  readonly version: string
  readonly builtin: boolean
  readonly reach: Reach
  readonly overHttp: boolean
  /** Of its server; those of its tools come first. */
  readonly icons: Icons | null
}

export interface ToolList {
  readonly tools: ReadonlyMap<string, PinnedTool>
  /** Why tools were left out, a sentence each. */
  readonly problems: readonly Sentence[]
}

/** Reads a module's tools, leaving out only those that are unusable. Rejects when there is no list at all. */
export async function readTools(client: Client, owner: ToolOwner, signal: AbortSignal): Promise<ToolList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: new Map(), problems: [] }
  const { items, end, pages } = await readPages(client, 'tools/list', 'tools', MODULE_TOOLS_LIMIT, signal)
  const listed = pinTools(items, owner)
  const ended = {
    all: [],
    most: [say`It lists more than ${MODULE_TOOLS_LIMIT} tools: the rest are left out.`],
    size: [say`Its list of tools is too large: everything after ${pages} pages is left out.`],
    pages: [say`Its list of tools does not end: everything after ${pages} pages is left out.`],
  }
  return { tools: listed.tools, problems: [...ended[end], ...listed.problems] }
}

/** The usable ones of these definitions. */
export function pinTools(items: readonly unknown[], owner: ToolOwner): ToolList {
  const problems: Sentence[] = []
  const tools = new Map<string, PinnedTool>()
  const twice = new Set<string>()
  const icons = iconReader(owner.module)
  for (const item of items) {
    const found = usable(item, owner)
    if (found instanceof Sentence) problems.push(found)
    else if (tools.has(found.name)) twice.add(found.name)
    else tools.set(found.name, pinTool(found, owner, owner.builtin ? null : (icons(found.icons) ?? owner.icons)))
  }
  for (const name of twice) {
    // There is no telling which of them a call would reach.
    tools.delete(name)
    problems.push(say`The tool “${name}” is left out: ${say`it is listed twice`}.`)
  }
  const fitting = fittingHelpers(tools)
  return { tools: fitting.tools, problems: [...problems, ...fitting.problems] }
}

/** The definition, or why it is left out. */
function usable(item: unknown, owner: ToolOwner): ToolDefinition | Sentence {
  const name =
    item !== null && typeof item === 'object' && 'name' in item && typeof item.name === 'string' ? item.name : ''
  const leftOut = (why: Sentence) => say`The tool “${cut(visible(name), 140)}” is left out: ${why}.`
  if (!TOOL_NAME.test(name)) return leftOut(say`its name is not allowed`)
  if (isNestedDeeper(item, DEPTH_LIMIT)) return leftOut(say`its definition is nested too deeply`)
  if (JSON.stringify(item).length > DEFINITION_LIMIT) return leftOut(say`its definition is too large`)
  const parsed = Definition.safeParse(item)
  if (!parsed.success) return leftOut(say`its definition is wrong at ${parsed.error.issues[0]?.path.join('.') ?? ''}`)
  if (!owner.builtin && hidesValues(parsed.data.inputSchema))
    return leftOut(say`its arguments contain invisible characters`)
  const fault = owner.overHttp ? headerProblem(parsed.data.inputSchema) : null
  return fault === null ? parsed.data : leftOut(fault)
}

/**
 * Whether a JSON value is nested deeper than `most` levels. Without recursion, because its sender chooses the depth.
 */
function isNestedDeeper(value: unknown, most: number): boolean {
  const queue: [unknown, number][] = [[value, 0]]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [item, depth] = next
    if (item === null || typeof item !== 'object') continue
    if (depth >= most) return true
    for (const member of Object.values(item)) queue.push([member, depth + 1])
  }
  return false
}

/**
 * Members of a schema that only describe. They are made readable before they are shown, so hidden characters there are
 * harmless.
 */
const DESCRIBES = new Set(['title', 'description', '$comment'])

/**
 * Whether a schema hides something in text that must stay as it is: enumerated values, defaults, or argument names. A
 * model reads these character by character, and a person does not see them. Control characters are escaped in JSON
 * anyway, and legitimate in a default such as a line break.
 */
function hidesValues(schema: unknown): boolean {
  if (typeof schema === 'string') return hides(schema)
  if (Array.isArray(schema)) return schema.some(hidesValues)
  if (schema === null || typeof schema !== 'object') return false
  return Object.entries(schema).some(
    ([key, value]) => hides(key) || (!(DESCRIBES.has(key) && typeof value === 'string') && hidesValues(value)),
  )
}

function hides(text: string): boolean {
  const uncontrolled = text.replace(/\p{Cc}/gu, '')
  return readableText(uncontrolled) !== uncontrolled
}
