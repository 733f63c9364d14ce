import type { ToolRequest } from '../../server/chat/ports/tools.ts'

/** A call as a run makes it; nobody is there to be asked. */
export function toolRequest(
  module: string,
  tool: string,
  input: Record<string, unknown> = {},
  more: Partial<ToolRequest> = {},
): ToolRequest {
  return {
    tool_call_id: 'tcl_test',
    module,
    tool,
    input,
    user_id: 'usr_test',
    run_id: 'run_test',
    conversation_id: 'cnv_test',
    ask: () => Promise.resolve({ action: 'decline' }),
    ...more,
  }
}
