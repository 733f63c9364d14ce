import { Server } from '@modelcontextprotocol/server'
import type { BuiltinModule } from '../../../server/modules/spec/builtin-module.ts'
import { builtinSpec } from '../../../server/modules/spec/builtin-spec.ts'
import { type HostOptions, openHost } from '../../../server/modules/host.ts'
import type { ModuleHost } from '../../../server/modules/supervision/module-host.ts'
import type { ModuleSpec } from '../../../server/modules/spec/module-spec.ts'
import { toolRequest } from '../tool-request.ts'

type Handler = (name: string, args: Record<string, unknown>, signal: AbortSignal) => unknown
export interface Definition {
  name: string
  [member: string]: unknown
}

export const READ = { readOnlyHint: true }
const open: ModuleHost[] = []

/** For `afterEach`: closes every host that the test started. */
export async function closeHosts(): Promise<void> {
  await Promise.all(open.splice(0).map((host) => host[Symbol.asyncDispose]()))
}

/** A module on the SDK's low-level server: it checks nothing, so it can be as hostile as it likes. */
export function hostile(tools: readonly Definition[], handle: Handler, name = 'hostile'): BuiltinModule {
  return {
    manifest: { name, display_name: name, version: '1.0.0', description: 'A module that misbehaves' },
    reach: 'own',
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
  return run(
    builtins.map((builtin) => builtinSpec(builtin, {})),
    { deadline_ms },
  )
}
/** Runs modules in a host that the test need not close. */
export async function run(specs: readonly ModuleSpec[], options: Partial<HostOptions> = {}) {
  const warnings: Record<string, unknown>[] = []
  const host = openHost({
    log: { info: () => undefined, warn: (fields, text) => warnings.push({ ...fields, text }) },
    ...options,
  })
  open.push(host)
  host.apply(specs)
  await host.ready()
  return { host, warnings }
}
export function call(
  host: ModuleHost,
  tool: string,
  input: Record<string, unknown> = {},
  signal = new AbortController().signal,
  progress: (text: string) => void = () => undefined,
) {
  return host.call(toolRequest('hostile', tool, input), signal, progress)
}
export function says(text: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text }] }
}
