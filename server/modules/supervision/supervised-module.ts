import type { ToolRequest, ToolResult } from '../../chat/ports/tools.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { inARow } from '../../kernel/joined-sentences.ts'
import type { ModuleConnection } from '../mcp/connection.ts'
import { maskSentence } from '../result/mask-sentence.ts'
import { ModuleCalls } from './module-calls.ts'
import { exitWithin } from './exit-within.ts'
import { ModuleStartError } from './module-host.ts'
import type { ModuleExit } from '../spec/module-link.ts'
import { ModuleProblem, sentenceOf } from '../spec/module-problem.ts'
import type { ModuleRuntime } from '../spec/module-runtime.ts'
import type { Inquire } from '../spec/module-inquiry.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'
import { ModuleTrack } from './module-track.ts'
import { LEGACY } from '../mcp/legacy.ts'
import { StartFailure } from './start-failure.ts'
import { pauseAfter, restartPause, stoppedOften } from './restart-pause.ts'
import { runtimeOf, type UpModule } from './runtime-of.ts'
import { pinnedInstructions } from '../mcp/instructions.ts'
import { type AgreedTool, agreedTools, pinsOf } from './runtime-tools.ts'
import { withSlowPhases } from './slow-phases.ts'
import type { SupervisionPorts } from './supervision-ports.ts'

export const START_MS = 15_000

/**
 * Keeps one module running: starts it, restarts it after a pause when it goes away, gives up when that happens too
 * often, and stops it. There is one start at a time, and it waits until nothing is left of the previous one.
 */
export class SupervisedModule {
  tools: ReadonlyMap<string, AgreedTool> = new Map()
  readonly said = () => pinnedInstructions(this.#up?.connection.instructions ?? null, pinsOf(this.#spec))
  #spec: ModuleSpec
  readonly #ports: SupervisionPorts
  readonly #track = new ModuleTrack()
  #state: ModuleRuntime['state'] = 'starting'
  #problem: Sentence | null = null
  #up: UpModule | null = null
  #attempt: { stop: AbortController; done: Promise<void> } | null = null
  /** Resolves when everything of earlier starts is closed. */
  #closing: Promise<void> = Promise.resolve()
  #endPause: (() => void) | null = null
  #nextStart: number | null = null
  #stderr: readonly string[] = []
  readonly #calls: ModuleCalls
  /** Counts starts and stops: work begun under another number is out of date. */
  #epoch = 0

  constructor(spec: ModuleSpec, ports: SupervisionPorts) {
    this.#spec = spec
    this.#ports = ports
    const calls = {
      spec: () => this.#spec,
      up: () => this.#up,
      tool: (name: string) => this.tools.get(name),
      anew: () => {
        this.#track.restarts++
        this.#anew()
      },
      settled: async () => {
        while (this.#attempt !== null) await this.settled()
      },
      closed: () => this.#closing,
    }
    this.#calls = new ModuleCalls(calls, ports)
    this.#begin()
  }

  get name(): string {
    return this.#spec.name
  }

  get busy(): boolean {
    return this.#calls.busy
  }

  get builtin(): boolean {
    return this.#spec.kind === 'builtin'
  }

  /** Resolves when the start in progress has succeeded or failed. */
  settled(): Promise<void> {
    return this.#attempt?.done ?? Promise.resolve()
  }

  /** Takes over another specification of the same module; only a new fingerprint restarts it. */
  apply(spec: ModuleSpec): void {
    const anew = spec.fingerprint !== this.#spec.fingerprint || spec.kind !== this.#spec.kind
    this.#spec = spec
    if (!anew) {
      this.#calls.reviewed()
      return this.#refresh()
    }
    this.#track.counted = []
    this.#anew()
  }

  /** Starts it now if it is down, regardless of earlier failures. @throws {ModuleStartError} when that fails */
  async start(): Promise<void> {
    if (this.#up !== null) return
    if (this.#attempt === null) {
      this.#track.counted = []
      this.#begin()
    }
    // It may be restarted while the caller waits for it.
    while (this.#attempt !== null) await this.settled()
    const { state, problem, stderr } = this.runtime()
    if (state !== 'running' && state !== 'degraded') throw new ModuleStartError(problem ?? say`It was stopped.`, stderr)
  }

  /** Stops it. Resolves when nothing of it is left. */
  stop(): Promise<void> {
    this.#takeDown()
    return this.#closing
  }

  call(request: ToolRequest, signal: AbortSignal, progress: (text: string) => void): Promise<ToolResult> {
    return this.#calls.call(request, signal, progress)
  }

  async ping(signal: AbortSignal): Promise<number> {
    return this.#calls.inSession((connection) => connection.ping(signal))
  }

  readonly ask: Inquire = async (kind, about, signal) => {
    // It would be asked with the account of the administrator who connected it.
    if (this.#spec.personal !== undefined)
      throw new ModuleProblem(say`Each person uses this module with an account of their own: it offers only tools.`)
    const answer = this.#calls.inSession((connection) => connection.ask(this.#spec.secrets, kind, about, signal))
    return answer.catch((error: unknown) => Promise.reject(new ModuleProblem(this.#masked(sentenceOf(error)))))
  }

  runtime(): ModuleRuntime {
    return runtimeOf({
      name: this.name,
      state: this.#state,
      problem: this.#problem,
      up: this.#up,
      pins: pinsOf(this.#spec),
      personal: this.#spec.personal !== undefined,
      next_start_at: this.#nextStart,
      track: this.#track,
      stderr: this.#up?.link.stderr() ?? this.#stderr,
      secrets: this.#spec.secrets,
    })
  }

  #begin(): void {
    this.#epoch++
    this.#clearPause()
    const stop = new AbortController()
    this.#enter('starting', null)
    const attempt = { stop, done: Promise.resolve() }
    this.#attempt = attempt
    attempt.done = this.#run(stop.signal).finally(() => {
      if (this.#attempt === attempt) this.#attempt = null
    })
  }

  async #run(stop: AbortSignal): Promise<void> {
    await this.#closing
    if (stop.aborted) return
    const onProbe = (probe: unknown) => {
      this.#spec = { ...this.#spec, probe }
      this.#spec.onProbe(probe)
    }
    const spec = { ...this.#spec, onProbe }
    const from = this.#ports.clock.now()
    const isAt = (phase: Sentence): void => {
      this.#problem = phase
      this.#ports.onChange(this.name)
    }
    let connection: ModuleConnection | undefined
    const ports = {
      log: this.#ports.log,
      grace_ms: this.#ports.grace_ms,
      onLists: () => this.#refresh(),
      onBroken: (reason: Sentence) => this.#onGone(connection, reason),
    }
    try {
      const { bringUp } = await import('./bring-up.ts')
      const started = await withSlowPhases(isAt, (tell) => bringUp(spec, ports, this.#ports.start_ms, stop, tell))
      connection = started.connection
      if (stop.aborted) return await started.connection[Symbol.asyncDispose]()
      this.#up = { ...started, running: new Set(), since: this.#ports.clock.now() }
      this.#ports.log.info({ module: spec.name, tools: connection.lists.tools().size }, 'module running')
      this.#refresh()
      void started.link.gone.then((exit) => this.#onGone(connection, exit.reason, exit))
    } catch (error) {
      if (stop.aborted) return
      const failure = error instanceof StartFailure ? error : null
      this.#stderr = failure?.stderr ?? []
      const exit = failure?.exit ?? { code: null, signal: null, reason: sentenceOf(error) }
      // It may have broken over what was known or asked about the protocol, so the next start does the opposite.
      this.#spec = { ...this.#spec, probe: spec.kind === 'bundle' && spec.probe === undefined ? LEGACY : undefined }
      this.#retry(exit, this.#ports.clock.now() - from)
    }
  }

  /** It exited or lost its connection. */
  #onGone(connection: ModuleConnection | undefined, reason: Sentence, exit?: ModuleExit): void {
    const up = this.#up
    if (up === null || up.connection !== connection) return
    const ran_ms = this.#ports.clock.now() - up.since
    // If only the connection broke, a process about to exit is given time to do so, which reveals its own reason.
    const ended = exit ?? (this.#spec.kind === 'remote' ? null : exitWithin(up.link))
    this.#takeDown(ended)
    this.#enter('retrying', this.#masked(exit?.reason ?? reason))
    const epoch = this.#epoch
    void Promise.resolve(ended).then((how) => {
      // Otherwise it was started meanwhile, or should no longer run.
      if (this.#epoch === epoch) this.#retry(how ?? { code: null, signal: null, reason }, ran_ms)
    })
  }

  #retry(exit: ModuleExit, ran_ms: number): void {
    const { clock, chance, log } = this.#ports
    const now = clock.now()
    this.#track.exited(exit, now, ran_ms)
    const { counted } = this.#track
    const pause = this.#spec.kind === 'remote' ? pauseAfter(counted, chance()) : restartPause(counted, now, chance())
    const problem = this.#masked(exit.reason)
    if (pause === null) this.#enter('failed', inARow([problem, stoppedOften(counted.length)]))
    else {
      this.#nextStart = now + pause
      this.#enter('retrying', problem)
      this.#endPause = clock.after(pause, () => {
        this.#track.restarts++
        this.#begin()
      })
    }
    log.warn({ module: this.name, problem: this.#problem?.toString(), pause_ms: pause }, 'module went away')
  }

  #anew(): void {
    this.#takeDown()
    this.#begin()
  }

  /** Takes down what is running or starting; it is closed once `before` has settled. */
  #takeDown(before: unknown = null): void {
    this.#epoch++
    this.#clearPause()
    const persons = this.#calls.stopped()
    this.#attempt?.stop.abort()
    const under = this.#attempt?.done
    const up = this.#up
    this.#up = null
    this.#attempt = null
    this.tools = new Map()
    if (up !== null) this.#stderr = up.link.stderr()
    const earlier = this.#closing
    const close = async () => {
      await before
      await Promise.allSettled([earlier, under, persons, up?.connection[Symbol.asyncDispose]()])
      if (up !== null) this.#stderr = up.link.stderr()
    }
    this.#closing = close()
  }

  #clearPause(): void {
    this.#endPause?.()
    this.#endPause = null
    this.#nextStart = null
  }

  /** Applies the current lists and pins. */
  #refresh(): void {
    if (this.#up === null) return
    void this.#up.connection.logAt(this.#spec.log_level ?? null)
    const { lists } = this.#up.connection
    this.tools = agreedTools(lists.tools(), pinsOf(this.#spec), this.builtin || this.#spec.helpers === true)
    const [first, ...others] = lists.problems()
    if (first === undefined) this.#enter('running', null)
    else this.#enter('degraded', this.#masked(inARow([first, ...others])))
  }

  #enter(state: ModuleRuntime['state'], problem: Sentence | null): void {
    this.#state = state
    this.#problem = problem
    this.#track.entered(state, problem, this.#ports.clock.now())
    this.#ports.onChange(this.name)
  }

  #masked(sentence: Sentence): Sentence {
    return maskSentence(sentence, this.#spec.secrets)
  }
}
