import type { Caller } from '../../contract/route.ts'
import type { RunPorts } from './ports/run-ports.ts'

/**
 * The tools a person may use now, with what their rules say about each, and how an ordinary message would be answered.
 */
export async function usableTools(
  { tools, model, policy }: Pick<RunPorts, 'tools' | 'model' | 'policy'>,
  caller: Caller,
) {
  await tools.ready()
  const own = await policy.forUser(caller.user_id, caller.scope)
  const items = tools.list().flatMap((tool) => {
    const effect = own?.list(tool).effect ?? 'deny'
    if (effect === 'deny') return []
    const { module, name, title, description, effect: toolEffect, input_schema } = tool
    return [{ module, tool: name, title, description, effect: toolEffect, policy: effect, input_schema }]
  })
  return { ...model.describe(caller.role_id), items }
}
