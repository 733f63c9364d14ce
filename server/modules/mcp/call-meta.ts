import type { ToolRequest } from '../../chat/ports/tools.ts'
import { CALL_KEY } from './watch-answers.ts'

/**
 * Identifies the call, which is also its progress token, and says what is to be known besides the arguments. Only
 * built-ins learn whose call it is.
 */
export function callMeta(key: string, request: ToolRequest, builtin: boolean): Record<string, unknown> {
  const about = Object.entries(request.about ?? {}).map(([name, value]) => [`dev.reeve/${name}`, value])
  const names = { [CALL_KEY]: key, progressToken: key, ...Object.fromEntries(about) }
  if (!builtin) return names
  return {
    ...names,
    'dev.reeve/tool_call': request.tool_call_id,
    'dev.reeve/user': request.user_id,
    'dev.reeve/run': request.run_id,
    'dev.reeve/conversation': request.conversation_id,
    ...(request.host_id !== undefined && { 'dev.reeve': { host_id: request.host_id } }),
  }
}
