import { systemModule } from '../builtin/system/module.ts'
import { openHost } from '../server/modules/host.ts'
import type { ToolResult } from '../server/chat/tools.ts'

/** The system module behind the real host, as the service runs it. */
export async function openSystem() {
  const host = await openHost({ builtins: [systemModule], log: { info: () => undefined, warn: () => undefined } })
  await host.ready()
  return {
    host,
    call: (
      tool: string,
      input: Record<string, unknown> = {},
      signal = new AbortController().signal,
      progress: (text: string) => void = () => undefined,
    ) => host.call({ tool_call_id: 'tcl_test', module: 'system', tool, input, user_id: 'usr_test' }, signal, progress),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

/** Rows of the table with this title; none when there is no such table. */
export function rowsOf(result: ToolResult, title: string) {
  return result.tables.find((table) => table.title === title)?.rows ?? []
}
