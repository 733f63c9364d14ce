import type { ToolRequest, ToolResult } from '../chat/ports/tools.ts'
import { type Clock, systemClock } from './supervision/clock.ts'
import type { HostLog } from './spec/host-log.ts'
import { type ModuleHost, ModuleStartError } from './supervision/module-host.ts'
import type { ModuleSpec } from './spec/module-spec.ts'
import type { AgreedTool } from './supervision/runtime-tools.ts'
import { START_MS, SupervisedModule } from './supervision/supervised-module.ts'
import { say } from '../kernel/sentence.ts'
import { ModuleProblem } from './spec/module-problem.ts'
import { unavailable } from './supervision/run-call.ts'

const DEADLINE_MS = 120_000
/** How long a run waits for modules that aren't built in. */
const READY_MS = 2000
const STOP_MS = 15_000
const STOP_GRACE_MS = 5000
const MODULE_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/

export interface HostOptions {
  readonly log: HostLog
  /** How long a call may take unless its tool says otherwise; 120,000 ms by default. */
  readonly deadline_ms?: number | undefined
  /** How long a start may take; 15,000 ms by default. */
  readonly start_ms?: number | undefined
  /** How long a stopped call may take to confirm that it stopped; 5,000 ms by default. */
  readonly grace_ms?: number | undefined
  readonly clock?: Clock | undefined
  readonly chance?: (() => number) | undefined
}

/**
 * Hosts the modules behind the chat's `Tools` port: each is an MCP server that the official client reaches over a link.
 * It runs what `apply` was given, and loads nothing of the protocol before that.
 */
export function openHost(options: HostOptions): ModuleHost {
  const modules = new Map<string, SupervisedModule>()
  const leaving = new Map<string, Promise<void>>()
  const listeners = new Set<(name: string) => void>()
  const stopping = new AbortController()
  const inFlight = new Set<Promise<unknown>>()
  let listed: readonly AgreedTool[] | null = null

  const ports = {
    log: options.log,
    clock: options.clock ?? systemClock,
    chance: options.chance ?? Math.random,
    start_ms: options.start_ms ?? START_MS,
    deadline_ms: options.deadline_ms ?? DEADLINE_MS,
    grace_ms: options.grace_ms ?? STOP_GRACE_MS,
    onChange: changed,
  }

  function changed(name: string): void {
    listed = null
    for (const listener of listeners) {
      try {
        listener(name)
      } catch (error) {
        options.log.warn({ module: name, err: error }, 'listener of the host failed')
      }
    }
  }

  function apply(specs: readonly ModuleSpec[]): void {
    if (stopping.signal.aborted) return
    const running = specs.filter(({ paused }) => paused !== true)
    const wanted = new Map(running.map((spec) => [spec.name, spec]))
    const wrong = specs.find(({ name }) => !MODULE_NAME.test(name))
    if (wrong !== undefined || wanted.size !== running.length)
      throw new Error(`Module names must be slugs, each used once: ${wrong?.name ?? 'one is used twice'}.`)
    for (const [name, module] of modules) if (!wanted.has(name)) leave(name, module)
    for (const [name, spec] of wanted) {
      const module = modules.get(name)
      if (module === undefined) {
        modules.set(name, new SupervisedModule(after(spec, leaving.get(name)), ports))
        changed(name)
      } else module.apply(spec)
    }
  }

  function leave(name: string, module: SupervisedModule): void {
    modules.delete(name)
    const left = Promise.allSettled([leaving.get(name), module.stop()]).then(() => {
      if (leaving.get(name) === left) leaving.delete(name)
    })
    leaving.set(name, left)
    changed(name)
  }

  async function call(
    request: ToolRequest,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<ToolResult> {
    const module = modules.get(request.module)
    if (module === undefined) return unavailable(request)
    const running = module.call(request, AbortSignal.any([signal, stopping.signal]), progress)
    inFlight.add(running)
    try {
      return await running
    } finally {
      inFlight.delete(running)
    }
  }

  async function ready(): Promise<void> {
    const all = [...modules.values()]
    let timer: NodeJS.Timeout | undefined
    const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, READY_MS)))
    const settled = (some: SupervisedModule[]) => Promise.all(some.map((module) => module.settled()))
    await settled(all.filter(({ builtin }) => builtin))
    await Promise.race([settled(all), enough])
    clearTimeout(timer)
  }

  function supervised(name: string): SupervisedModule {
    const module = modules.get(name)
    if (module === undefined) throw new ModuleStartError(say`No module named “${name}” is meant to run.`, [])
    return module
  }

  return {
    list: () => (listed ??= [...modules.values()].flatMap(({ tools }) => [...tools.values()]).sort(byName)),
    find: (module, tool) => modules.get(module)?.tools.get(tool),
    call,
    ready,
    apply,
    async started(name) {
      const module = supervised(name)
      await module.start()
      return module.runtime()
    },
    async stopped(name) {
      const left = leaving.get(name)
      if (left === undefined) return
      let timer: NodeJS.Timeout | undefined
      const tooLate = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, STOP_MS, true)))
      const late = await Promise.race([left.then(() => false), tooLate])
      clearTimeout(timer)
      if (late) throw new ModuleProblem(say`The module did not stop within ${STOP_MS / 1000} s.`)
    },
    busy: (name) => modules.get(name)?.busy ?? false,
    runtime: (name) => modules.get(name)?.runtime(),
    said: (name) => modules.get(name)?.said() ?? null,
    definitions: (name) => [...(modules.get(name)?.tools.values() ?? [])].map(({ definition }) => definition),
    ping: async (name, signal) => supervised(name).ping(signal),
    ask: async (name, kind, about, signal) => supervised(name).ask(kind, about, signal),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      // Stopped calls may still confirm that they stopped; closing their connection first would leave that unknown.
      await Promise.allSettled(inFlight)
      for (const [name, module] of modules) leave(name, module)
      await Promise.allSettled(leaving.values())
    },
  }
}

/** A module that is added again waits until nothing is left of its predecessor. */
function after(spec: ModuleSpec, left: Promise<void> | undefined): ModuleSpec {
  if (left === undefined) return spec
  return {
    ...spec,
    async open(signal) {
      await left
      signal.throwIfAborted()
      return spec.open(signal)
    },
  }
}

function byName(a: AgreedTool, b: AgreedTool): number {
  return compare(a.module, b.module) || compare(a.name, b.name)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
