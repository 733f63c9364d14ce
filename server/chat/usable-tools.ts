import { HOST_ARGUMENT } from '../../contract/host-values.ts'
import type { Caller } from '../../contract/route.ts'
import { definitionTokens } from '../kernel/text/token-estimate.ts'
import { byName } from '../kernel/text/name-order.ts'
import { wordedTool } from '../kernel/worded-tool.ts'
import { aboutHosts } from './ports/hosts.ts'
import type { Tool } from './ports/tools.ts'
import type { RunPorts } from './ports/run-ports.ts'

/** The argument that the server has added is told in its own words. */
function wordedArguments(tool: Tool, texts: ReturnType<typeof wordedTool>, language: string) {
  if (tool.bare === undefined) return texts
  const properties = texts.input_schema['properties'] as Record<string, object>
  const host = { ...properties[HOST_ARGUMENT], description: aboutHosts(tool.effect).in(language) }
  return { ...texts, input_schema: { ...texts.input_schema, properties: { ...properties, [HOST_ARGUMENT]: host } } }
}

/**
 * The tools a person may use now, with what their rules say about each, and how an ordinary message would be answered.
 */
export async function usableTools(
  { tools, model, policy }: Pick<RunPorts, 'tools' | 'model' | 'policy'>,
  caller: Caller,
) {
  await tools.ready()
  const own = await policy.forUser(caller.user_id, caller.scope, caller.kind)
  const items = tools.list().flatMap((tool) => {
    const effect = own?.list(tool).effect ?? 'deny'
    if (effect === 'deny' || tool.hidden === true) return []
    const { module, name, effect: toolEffect } = tool
    const texts = wordedArguments(tool, wordedTool(tool, tools.wording(module, caller.language)), caller.language)
    const { description, input_schema } = tool
    const tokens = definitionTokens({ name: `${module}.${name}`, description, input_schema })
    const module_title = tools.moduleTitle(module, caller.language)
    return [{ module, module_title, tool: name, effect: toolEffect, policy: effect, tokens, ...texts }]
  })
  const modules = Map.groupBy(items, ({ module }) => module)
  const sorted = [...modules.values()].flatMap((own) => byName(own, caller.language, ({ title }) => title))
  return { ...model.describe(caller.role_id), items: sorted }
}
