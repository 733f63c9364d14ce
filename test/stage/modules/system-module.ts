import { systemModule } from '../../../builtin/system/module.ts'
import { localMachines } from '../../../server/hosts/local/local-machines.ts'
import { builtinSpec } from '../../../server/modules/spec/builtin-spec.ts'
import { openHost } from '../../../server/modules/host.ts'
import type { ToolResult } from '../../../server/chat/ports/tools.ts'
import { toolRequest } from '../tool-request.ts'

/** The system module behind the real host, as the service runs it. */
export async function openSystem() {
  const host = openHost({ log: { info: () => undefined, warn: () => undefined } })
  host.apply([builtinSpec(systemModule(localMachines(null)), {})])
  await host.ready()
  return {
    host,
    call: (
      tool: string,
      input: Record<string, unknown> = {},
      signal = new AbortController().signal,
      progress: (text: string) => void = () => undefined,
    ) => host.call(toolRequest('system', tool, input), signal, progress),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

/** Rows of the table with this title; none when there is no such table. */
export function rowsOf(result: ToolResult, title: string) {
  return result.tables.find((table) => table.title === title)?.rows ?? []
}
