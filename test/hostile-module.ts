import { Server } from '@modelcontextprotocol/server'
import type { BuiltinModule } from '../server/modules/builtin-module.ts'
import { openHost, type Host } from '../server/modules/host.ts'

type Handler = (name: string, args: Record<string, unknown>, signal: AbortSignal) => unknown
export interface Definition {
  name: string
  [member: string]: unknown
}

export const READ = { readOnlyHint: true }
const open: Host[] = []

/** For `afterEach`: closes every host that the test started. */
export async function closeHosts(): Promise<void> {
  await Promise.all(open.splice(0).map((host) => host[Symbol.asyncDispose]()))
}

/** A module on the SDK's low-level server: it checks nothing, so it can be as hostile as it likes. */
export function hostile(tools: readonly Definition[], handle: Handler, name = 'hostile'): BuiltinModule {
  return {
    manifest: { name, display_name: name, version: '1.0.0', description: 'A module that misbehaves' },
    createServer: () => {
      const server = new Server({ name, version: '1.0.0' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', () => ({
        tools: tools.map((tool) => ({ inputSchema: { type: 'object' as const }, ...tool })),
      }))
      server.setRequestHandler(
        'tools/call',
        async (request, context) =>
          (await handle(request.params.name, request.params.arguments ?? {}, context.mcpReq.signal)) as never,
      )
      return Promise.resolve(server as never)
    },
  }
}
export async function start(builtins: BuiltinModule[], deadline_ms?: number) {
  const warnings: object[] = []
  const host = await openHost({
    builtins,
    deadline_ms,
    log: { info: () => undefined, warn: (fields) => warnings.push(fields) },
  })
  open.push(host)
  await host.ready()
  return { host, warnings }
}
export function call(
  host: Host,
  tool: string,
  input: Record<string, unknown> = {},
  signal = new AbortController().signal,
  progress: (text: string) => void = () => undefined,
) {
  return host.call({ tool_call_id: 'tcl_1', module: 'hostile', tool, input, user_id: 'usr_1' }, signal, progress)
}
export function says(text: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text }] }
}
