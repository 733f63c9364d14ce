import type { Client, Tool as ToolDefinition } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { cut, visible } from '../kernel/text.ts'
import { headerProblem } from './header-parameters.ts'
import { hidesValues } from './hidden-values.ts'
import { isNestedDeeper } from './nesting.ts'
import { pinTool, type PinnedTool, TOOL_NAME } from './pinned-tool.ts'
import { readPages } from './read-pages.ts'

const TOOL_LIMIT = 500
const DEFINITION_LIMIT = 64 * 1024
const DEPTH_LIMIT = 64

const Definition = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
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
  readonly overHttp: boolean
}

export interface ToolList {
  readonly tools: ReadonlyMap<string, PinnedTool>
  /** Why tools were left out, a sentence each. */
  readonly problems: readonly string[]
}

/** Reads what tools a module has now. A tool that is not usable is left out alone. Rejects when there is no list at all. */
export async function readTools(client: Client, owner: ToolOwner, signal: AbortSignal): Promise<ToolList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: new Map(), problems: [] }
  const { items, problems } = await readPages(client, 'tools/list', 'tools', TOOL_LIMIT, signal)
  const tools = new Map<string, PinnedTool>()
  const twice = new Set<string>()
  for (const item of items) {
    const found = usable(item, owner)
    if (typeof found === 'string') problems.push(found)
    else if (tools.has(found.name)) twice.add(found.name)
    else tools.set(found.name, pinTool(found, owner))
  }
  for (const name of twice) {
    // Nobody can tell which of them a call would reach.
    tools.delete(name)
    problems.push(`The tool "${name}" is left out: it is listed twice.`)
  }
  return { tools, problems }
}

/** The definition, or a sentence that says why it is left out. */
function usable(item: unknown, owner: ToolOwner): ToolDefinition | string {
  const name =
    item !== null && typeof item === 'object' && 'name' in item && typeof item.name === 'string' ? item.name : ''
  const leftOut = (why: string) => `The tool ${JSON.stringify(cut(visible(name), 140))} is left out: ${why}.`
  if (!TOOL_NAME.test(name)) return leftOut('its name is not allowed')
  if (isNestedDeeper(item, DEPTH_LIMIT)) return leftOut('its definition is nested too deeply')
  if (JSON.stringify(item).length > DEFINITION_LIMIT) return leftOut('its definition is too large')
  const parsed = Definition.safeParse(item)
  if (!parsed.success) return leftOut(`its definition is wrong at ${parsed.error.issues[0]?.path.join('.') ?? ''}`)
  if (!owner.builtin && hidesValues(parsed.data.inputSchema)) return leftOut('its arguments hide invisible characters')
  const fault = owner.overHttp ? headerProblem(parsed.data.inputSchema) : null
  return fault === null ? parsed.data : leftOut(fault)
}
