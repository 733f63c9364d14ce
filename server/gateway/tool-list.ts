import { createHash } from 'node:crypto'
import type { Tool as McpTool } from '@modelcontextprotocol/server'
import type { Caller } from '../../contract/route.ts'
import type { Tool } from '../chat/ports/tools.ts'
import { shortName } from '../kernel/text/short-name.ts'
import type { GatewayContext } from './ports.ts'

/** Clients put the name of the server before it, and models take 64 characters altogether. */
const LENGTH = 50
const SAFE = /^[a-zA-Z][a-zA-Z0-9-]*(_[a-zA-Z0-9-]+)*$/

export interface OfferedTool {
  readonly name: string
  readonly tool: Tool
}

/** The tools that the caller may use, none of them denied, sorted by name: what a client is offered, and all it can call. */
export async function offeredTools(
  { tools, policy }: Pick<GatewayContext, 'tools' | 'policy'>,
  caller: Caller,
): Promise<OfferedTool[]> {
  await tools.ready()
  const own = await policy.forUser(caller.user_id, caller.scope, caller.kind)
  if (own === null) return []
  return tools
    .list()
    .filter((tool) => tool.hidden !== true && own.list(tool).effect !== 'deny')
    .map((tool) => ({ name: offeredName(tool), tool }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * `module__tool`. A name that clients might not take, or that another pair could have as well, gets a hash: it says which
 * tool it is whatever others there are.
 */
export function offeredName({ module, name }: Pick<Tool, 'module' | 'name'>): string {
  const plain = `${module}__${name}`
  if (SAFE.test(module) && SAFE.test(name) && plain.length <= LENGTH) return plain
  const hash = createHash('sha256')
    .update(JSON.stringify([module, name]))
    .digest('hex')
    .slice(0, 8)
  return `${shortName(module, name, LENGTH - hash.length - 1)}_${hash}`
}

/** As a client reads it: in the words of its definition. */
export function describeTool({ name, tool }: OfferedTool): McpTool {
  const { title, description, input_schema, effect } = tool
  return {
    name,
    title,
    description,
    inputSchema: { ...input_schema, type: 'object' },
    annotations: {
      title,
      readOnlyHint: effect === 'read',
      ...(effect !== 'read' && { destructiveHint: effect !== 'write' }),
    },
  }
}
