import type { Tool, ToolRequest, ToolResult, Tools } from '../chat/tools.ts'
import { cut, visible } from '../kernel/text.ts'
import type { BuiltinModule } from './builtin-module.ts'
import { openConnection, type ModuleConnection } from './connection.ts'
import { openInProcess } from './in-process.ts'
import { failed, toToolResult } from './tool-result.ts'

const DEADLINE_MS = 120_000
const RETRY_AFTER_MS = 5000
const MODULE_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/

export interface HostOptions {
  readonly builtins: readonly BuiltinModule[]
  readonly log: HostLog
  /** How long a call may take when its tool says nothing; 120,000 ms unless given. */
  readonly deadline_ms?: number
}
/** The two lines of a pino logger that the host needs. */
export interface HostLog {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
}

export interface ModuleStatus {
  readonly name: string
  readonly display_name: string
  readonly version: string
  readonly state: 'starting' | 'running' | 'failed'
  readonly tools_count: number
  /** Why it failed, in a sentence; null otherwise. */
  readonly problem: string | null
}

export interface Host extends Tools, AsyncDisposable {
  /** Every module with its state, by name. */
  modules(): ModuleStatus[]
}

interface Entry {
  readonly builtin: BuiltinModule
  state: ModuleStatus['state']
  connection: ModuleConnection | null
  problem: string | null
  /** Milliseconds of the monotonic clock at which it failed last. */
  failedAt: number
}

/**
 * Hosts the modules behind the chat's `Tools` port: each is an MCP server that the official client reaches over a transport. Nothing is
 * loaded or started before `ready()`. A module that fails is left out, and tried again by a later `ready()`.
 * @throws {Error} when two built-ins share a name, or a name is no slug: a mistake in the program.
 */
export function openHost(options: HostOptions): Promise<Host> {
  const { log } = options
  const entries = new Map<string, Entry>()
  for (const builtin of options.builtins) {
    const { name } = builtin.manifest
    if (!MODULE_NAME.test(name) || entries.has(name))
      return Promise.reject(new Error(`The module name "${name}" is not usable.`))
    entries.set(name, { builtin, state: 'starting', connection: null, problem: null, failedAt: -Infinity })
  }
  const stopping = new AbortController()
  const inFlight = new Set<Promise<unknown>>()
  let starting: Promise<void> | null = null
  let listed: readonly Tool[] = []

  function refresh(): void {
    listed = [...entries.values()]
      .flatMap((entry) => [...(entry.connection?.tools.values() ?? [])])
      .sort((a, b) => (a.module === b.module ? compare(a.name, b.name) : compare(a.module, b.module)))
  }

  async function start(entry: Entry): Promise<void> {
    const { name, version } = entry.builtin.manifest
    entry.state = 'starting'
    try {
      const link = await openInProcess(entry.builtin)
      const connection = await openConnection(link, { module: name, version, builtin: true }, () =>
        fail(entry, 'It went away by itself.'),
      ).catch(async (error: unknown) => {
        await link.close().catch(() => undefined)
        throw error
      })
      if (stopping.signal.aborted) return await connection[Symbol.asyncDispose]()
      Object.assign(entry, { connection, state: 'running', problem: null })
      log.info({ module: name, tools: connection.tools.size }, 'module running')
    } catch (error) {
      fail(entry, error instanceof Error ? error.message : String(error))
    }
    refresh()
  }

  function fail(entry: Entry, problem: string): void {
    const { name } = entry.builtin.manifest
    Object.assign(entry, {
      connection: null,
      state: 'failed',
      problem: cut(visible(problem), 500),
      failedAt: performance.now(),
    })
    refresh()
    log.warn({ module: name, problem: entry.problem }, 'module failed')
  }

  async function startAll(): Promise<void> {
    const due = [...entries.values()].filter(
      (entry) => entry.connection === null && performance.now() - entry.failedAt >= RETRY_AFTER_MS,
    )
    await Promise.all(due.map(start))
  }

  async function call(
    request: ToolRequest,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<ToolResult> {
    const connection = entries.get(request.module)?.connection
    const tool = connection?.tools.get(request.tool)
    if (!connection || !tool) return failed(`The tool ${request.module}.${request.tool} is not available now.`)
    const problem = tool.check(request.input)
    if (problem !== null) return failed(`The arguments do not fit. ${problem}`)
    const either = AbortSignal.any([signal, stopping.signal])
    if (either.aborted) return { status: 'cancelled', text: 'Cancelled before it started.', tables: [] }
    const deadline_ms = tool.deadline_ms ?? options.deadline_ms ?? DEADLINE_MS
    const running = connection.call({ tool: tool.name, input: request.input, deadline_ms, progress }, either)
    inFlight.add(running)
    try {
      return toToolResult(await running, tool, Math.ceil(deadline_ms / 1000))
    } catch (error) {
      log.warn({ module: request.module, tool: request.tool, err: error }, 'tool call broke')
      return toToolResult({ kind: 'lost', why: 'closed' }, tool, 0)
    } finally {
      inFlight.delete(running)
    }
  }

  return Promise.resolve({
    list: () => listed,
    find: (module, tool) => entries.get(module)?.connection?.tools.get(tool),
    call,
    ready: () =>
      (starting ??= stopping.signal.aborted ? Promise.resolve() : startAll().finally(() => (starting = null))),
    modules: () =>
      [...entries.values()].map(({ builtin, state, connection, problem }) => ({
        name: builtin.manifest.name,
        display_name: builtin.manifest.display_name,
        version: builtin.manifest.version,
        state,
        tools_count: connection?.tools.size ?? 0,
        problem,
      })),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await starting
      // Stopped calls may still confirm that they stopped: a connection closed under them would leave that unknown.
      await Promise.allSettled(inFlight)
      const open = [...entries.values()].flatMap((entry) => entry.connection ?? [])
      for (const entry of entries.values()) entry.connection = null
      refresh()
      await Promise.allSettled(open.map((connection) => connection[Symbol.asyncDispose]()))
    },
  })
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
