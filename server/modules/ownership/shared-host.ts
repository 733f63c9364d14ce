import type { ModuleInstructions } from '../../../contract/module-offer.ts'
import type { ToolRequest, ToolResult } from '../../chat/ports/tools.ts'
import type { Database } from '../../db/database.ts'
import { say } from '../../kernel/sentence.ts'
import type { Vault } from '../../kernel/vault.ts'
import type { HostLog } from '../spec/host-log.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import type { ModuleRuntime } from '../spec/module-runtime.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'
import { type ModuleHost, ModuleStartError } from '../supervision/module-host.ts'
import type { AgreedTool } from '../supervision/runtime-tools.ts'
import { AnswerCalls } from './answer-calls.ts'
import { AskOwner } from './ask-owner.ts'
import { CallRows } from './call-rows.ts'
import { DataKeeper } from './data-keeper.ts'
import type { DataStore } from './data-store.ts'
import { ModuleData } from './module-data.ts'
import { OwnedStarts } from './owned-starts.ts'
import { OwnerInquiry, type OwnerQuestions } from './owner-inquiry.ts'
import { LEASE_MS, Ownerships } from './ownerships.ts'
import { OwnerRows, type OwnerRow } from './owner-rows.ts'
import { RoutedModule } from './routed-module.ts'
import { RuntimeNews } from './runtime-news.ts'

/** How long a change waits for a module to be up: another process may have to give it up first, or be found dead. */
const STARTED_MS = 45_000
const STOPPED_MS = 15_000
const READY_MS = 2000

/** Where a module of which there is one runs, and its data. */
export interface ModulePlace {
  readonly here: boolean
  readonly row: OwnerRow | undefined
}

/** A host that shares the modules with data with other processes: each of these runs in one of them. */
export interface SharedHost extends ModuleHost {
  /** Null for a module that each process runs. */
  place(module: string): ModulePlace | null
  /** Asks the owner, when that is another process; undefined when it isn't, or does not answer. */
  askOwner(module: string, kind: string, request: unknown): Promise<unknown>
  /** What this process answers as an owner. */
  answers(questions: OwnerQuestions): void
  /** Removes calls that nobody waits for any more. */
  sweep(): Promise<void>
  readonly data: ModuleData
}

export interface SharedHostOptions {
  readonly local: ModuleHost
  readonly db: Database
  readonly vault: Vault
  readonly log: HostLog
  /** Identifies this process among those on the database. */
  readonly me: string
  readonly store: DataStore | null
  readonly dataFolder: string
  readonly marks: string
}

/** Disposing gives up what this process owns, and disposes `local`. */
export function openSharedHost(options: SharedHostOptions): SharedHost {
  const { local, db, vault, log, me, store, dataFolder, marks } = options
  const rows = new OwnerRows(db, me, LEASE_MS)
  const calls = new CallRows(db, vault)
  const asked = new AskOwner(db, calls, log)
  const data = new ModuleData({ rows, store, vault, log, folder: dataFolder, marks })
  const listeners = new Set<(name: string) => void>()
  const routed = new Map<string, RoutedModule>()
  const inFlight = new Set<Promise<unknown>>()
  const stopping = new AbortController()
  let specs: readonly ModuleSpec[] = []
  let singles: ReadonlyMap<string, ModuleSpec> = new Map()
  let listed: readonly AgreedTool[] | null = null

  const ownerships = new Ownerships({
    db,
    rows,
    me,
    log,
    wanted: () => singles,
    leave,
    lose(module) {
      keeper.lost(module)
      follow()
    },
    killAt: (module, at) => starts.killAt(module, at),
    onChange() {
      follow()
      answering.look()
      void news.read()
    },
  })
  const keeper = new DataKeeper(data, (module) => {
    const ownership = ownerships.holding(module)
    const row = ownerships.known(module)
    return ownership === null ? null : { row: ownership.row, before: row?.data_id ?? null }
  })
  const starts = new OwnedStarts(ownerships, data, keeper)
  const news = new RuntimeNews({ rows, local, ownerships, routed, log, changed })
  const inquiry = new OwnerInquiry({ local, asked, ownerships, stopping: stopping.signal })
  const answering = new AnswerCalls({
    db,
    rows: calls,
    me,
    log,
    owned: () => ownerships.names(),
    call: (request, signal, progress) => callHere(request, signal, progress),
    serve: (module, kind, request) => inquiry.serve(module, kind, request),
  })
  const stopLocal = local.onChange((name) => {
    changed(name)
    if (ownerships.owned(name) !== null) news.tellSoon(name)
  })

  function changed(name: string): void {
    listed = null
    for (const listener of listeners) listener(name)
  }

  /** Has the local host run what each process runs, and what this one owns. */
  function follow(): void {
    if (stopping.signal.aborted) return
    const here = specs.filter(({ name }) => !singles.has(name) || ownerships.owned(name) !== null)
    local.apply(here.map((spec) => (singles.has(spec.name) ? starts.owned(spec) : spec)))
    listed = null
  }

  async function leave(module: string): Promise<void> {
    follow()
    // Until it has stopped it is renewed, so nobody else starts it.
    for (;;) {
      const stopped = await local.stopped(module).then(
        () => true,
        () => false,
      )
      if (stopped) break
    }
    await keeper.ended(module)
  }

  async function callHere(
    request: ToolRequest,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<ToolResult> {
    // It has just moved here.
    if (local.runtime(request.module)?.state === 'starting') await local.started(request.module).catch(() => undefined)
    const ended = keeper.called(request.module)
    try {
      return await local.call(request, signal, progress)
    } finally {
      ended()
    }
  }

  async function call(
    request: ToolRequest,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<ToolResult> {
    if (!singles.has(request.module)) return local.call(request, signal, progress)
    if (ownerships.owned(request.module) !== null) return callHere(request, signal, progress)
    const module = routed.get(request.module)!
    const until = AbortSignal.any([signal, stopping.signal])
    const running = module.call(request, until, progress, asked, ownerships.elsewhere(request.module))
    inFlight.add(running)
    return running.finally(() => inFlight.delete(running))
  }

  async function started(name: string): Promise<ModuleRuntime> {
    const until = performance.now() + STARTED_MS
    for (;;) {
      const spec = singles.get(name)
      if (spec === undefined || ownerships.owned(name) !== null) {
        const runtime = await local.started(name)
        if (spec !== undefined) await news.tell(name)
        return runtime
      }
      await ownerships.beat()
      if (ownerships.owned(name) !== null) continue
      if (spec.trial === true) await ownerships.want(name)
      else if ((await inquiry.ask(name, 'start', null)) !== undefined) {
        await ownerships.beat()
        await news.read()
        return runtimeOf(name)!
      }
      if (stopping.signal.aborted || performance.now() > until)
        throw new ModuleStartError(say`No process has started it.`, [])
      await ownerships.change(500)
    }
  }

  function runtimeOf(name: string): ModuleRuntime | undefined {
    if (!singles.has(name)) return local.runtime(name)
    const here = ownerships.owned(name) === null ? undefined : local.runtime(name)
    return here ?? routed.get(name)?.runtime(ownerships.elsewhere(name) === null)
  }

  /** What a module says here, or as last told. */
  function said(name: string): ModuleInstructions | null {
    const here = !singles.has(name) || ownerships.owned(name) !== null
    return (here ? local.said(name) : null) ?? routed.get(name)?.instructions ?? null
  }

  /** The tools of a module here, or as last told while it moves. */
  function toolsOf(name: string): readonly AgreedTool[] {
    const elsewhere = [...(routed.get(name)?.tools.values() ?? [])]
    const here = ownerships.owned(name) === null ? undefined : local.runtime(name)
    if (here === undefined || (here.state === 'starting' && here.tools.length === 0)) return elsewhere
    return localTools().filter(({ module }) => module === name)
  }

  function localTools(): readonly AgreedTool[] {
    return local.list() as readonly AgreedTool[]
  }

  async function ready(): Promise<void> {
    const known = () => [...singles.keys()].every((name) => ownerships.owned(name) !== null || routed.get(name)!.known)
    const until = performance.now() + READY_MS
    if (singles.size > 0) await Promise.race([ownerships.beat().then(() => news.read()), ownerships.change(READY_MS)])
    while (!known() && performance.now() < until) await ownerships.change(100)
    await local.ready()
  }

  return {
    data,
    list() {
      listed ??= [
        ...localTools().filter(({ module }) => !singles.has(module)),
        ...[...singles.keys()].flatMap((name) => toolsOf(name)),
      ].sort((a, b) => compare(a.module, b.module) || compare(a.name, b.name))
      return listed
    },
    find: (module, tool) =>
      singles.has(module) ? toolsOf(module).find(({ name }) => name === tool) : local.find(module, tool),
    call,
    ready,
    apply(wanted) {
      if (stopping.signal.aborted) return
      specs = wanted
      singles = new Map(wanted.filter(({ singleton }) => singleton === true).map((spec) => [spec.name, spec]))
      for (const name of routed.keys()) if (!singles.has(name)) routed.delete(name)
      for (const [name, spec] of singles) {
        const module = routed.get(name)
        if (module === undefined) routed.set(name, new RoutedModule(spec))
        else module.apply(spec)
      }
      follow()
      void ownerships.beat()
    },
    started,
    async stopped(name) {
      await local.stopped(name)
      if (singles.get(name)?.paused === true) return
      if (!(await ownerships.left(name, STOPPED_MS)))
        throw new ModuleProblem(say`The module did not stop within ${STOPPED_MS / 1000} s.`)
    },
    busy: (name) => local.busy(name) || (routed.get(name)?.busy ?? false),
    runtime: runtimeOf,
    said,
    definitions: (name) => local.definitions(name),
    async ping(name, signal) {
      const answer = await inquiry.ask(name, 'ping', null)
      return typeof answer === 'number' ? answer : local.ping(name, signal)
    },
    async ask(name, kind, about, signal) {
      const answer = await inquiry.ask(name, kind, about)
      return answer === undefined ? local.ask(name, kind, about, signal) : (answer as never)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    place: (name) =>
      singles.has(name) ? { here: ownerships.owned(name) !== null, row: ownerships.known(name) } : null,
    askOwner: (name, kind, request) => inquiry.ask(name, kind, request),
    answers: (questions) => inquiry.answers(questions),
    sweep: () => calls.sweep(),
    async [Symbol.asyncDispose]() {
      stopLocal()
      await answering[Symbol.asyncDispose]()
      // Calls of this process to modules elsewhere end first, while the rows can still be written.
      stopping.abort()
      await Promise.allSettled(inFlight)
      news.close()
      local.apply(specs.filter(({ name }) => !singles.has(name)))
      await ownerships.close()
      await local[Symbol.asyncDispose]()
    },
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
