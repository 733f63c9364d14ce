import type { ToolRequest, ToolResult } from '../chat/tools.ts'
import { cut, visible } from '../kernel/text.ts'
import { bringUp, StartFailure } from './bring-up.ts'
import type { ModuleConnection } from './connection.ts'
import { maskSecrets } from './mask-secrets.ts'
import { exitWithin } from './exit-within.ts'
import { ModuleStartError } from './module-host.ts'
import type { ModuleExit } from './module-link.ts'
import type { ModuleRuntime } from './module-runtime.ts'
import type { ModuleSpec } from './module-spec.ts'
import { ModuleTrack } from './module-track.ts'
import { LEGACY } from './open-client.ts'
import { pauseAfter, restartPause } from './restart-pause.ts'
import { runCall } from './run-call.ts'
import { runtimeOf, type UpModule } from './runtime-of.ts'
import { type AgreedTool, agreedTools } from './runtime-tools.ts'
import type { SupervisionPorts } from './supervision-ports.ts'

export const START_MS = 15_000
/** How long a process that broke its connection may take to end by itself. */
const LAST_WORDS_MS = 500

/**
 * One module that should run: starts it, starts it again after a pause when it goes away, gives up when it keeps going away, and stops it.
 * One start at a time; a start waits until nothing is left of the one before.
 */
export class SupervisedModule {
  tools: ReadonlyMap<string, AgreedTool> = new Map()
  #spec: ModuleSpec
  readonly #ports: SupervisionPorts
  readonly #track = new ModuleTrack()
  #state: ModuleRuntime['state'] = 'starting'
  #problem: string | null = null
  #up: UpModule | null = null
  #attempt: { stop: AbortController; done: Promise<void> } | null = null
  /** What is still being closed of earlier starts. */
  #closing: Promise<void> = Promise.resolve()
  #endPause: (() => void) | null = null
  #nextStart: number | null = null
  #stderr: readonly string[] = []
  #calls = 0
  #restartWhenIdle = false
  /** Counts starts and stops: what began under another number is out of date. */
  #epoch = 0

  constructor(spec: ModuleSpec, ports: SupervisionPorts) {
    this.#spec = spec
    this.#ports = ports
    this.#begin()
  }

  get name(): string {
    return this.#spec.name
  }

  get busy(): boolean {
    return this.#calls > 0
  }

  get builtin(): boolean {
    return this.#spec.kind === 'builtin'
  }

  /** Resolves when a start that is under way has come to an end, either way. */
  settled(): Promise<void> {
    return this.#attempt?.done ?? Promise.resolve()
  }

  /** Takes over another specification of the same module; only a new fingerprint starts it anew. */
  apply(spec: ModuleSpec): void {
    const anew = spec.fingerprint !== this.#spec.fingerprint || spec.kind !== this.#spec.kind
    this.#spec = spec
    if (!anew) return this.#refresh()
    this.#track.counted = []
    this.#takeDown()
    this.#begin()
  }

  /** Starts it now if it is down, whatever it did before. @throws {ModuleStartError} when that fails. */
  async start(): Promise<void> {
    if (this.#up !== null) return
    if (this.#attempt === null) {
      this.#track.counted = []
      this.#begin()
    }
    // It may be started anew while somebody waits for it.
    while (this.#attempt !== null) await this.settled()
    const { state, problem, stderr } = this.runtime()
    if (state !== 'running' && state !== 'degraded') throw new ModuleStartError(problem ?? 'It was stopped.', stderr)
  }

  /** Ends it. Resolves when nothing of it is left. */
  stop(): Promise<void> {
    this.#takeDown()
    return this.#closing
  }

  async call(request: ToolRequest, signal: AbortSignal, progress: (text: string) => void): Promise<ToolResult> {
    const up = this.#up
    this.#calls++
    try {
      return await runCall(
        {
          connection: up?.connection ?? null,
          tool: () => (this.#up === up ? this.tools.get(request.tool) : undefined),
          secrets: this.#spec.secrets,
          deadline_ms: this.#ports.deadline_ms,
          log: this.#ports.log,
          onIgnored: () => this.#onIgnored(up?.connection),
        },
        request,
        signal,
        progress,
      )
    } finally {
      this.#calls--
      if (this.#restartWhenIdle) this.#onIgnored(up?.connection)
    }
  }

  async ping(signal: AbortSignal): Promise<number> {
    return this.#running().ping(signal)
  }

  async prompt(name: string, args: Readonly<Record<string, string>>): Promise<string> {
    const text = this.#running().prompt(name, args)
    return text.catch((error: unknown) => Promise.reject(new Error(this.#words(error))))
  }

  runtime(): ModuleRuntime {
    return runtimeOf({
      name: this.name,
      state: this.#state,
      problem: this.#problem,
      up: this.#up,
      pins: this.#pins(),
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
    const spec = { ...this.#spec, onProbe: (probe: unknown) => this.#onProbe(probe) }
    const from = this.#ports.clock.now()
    let connection: ModuleConnection | undefined
    const ports = {
      log: this.#ports.log,
      grace_ms: this.#ports.grace_ms,
      onLists: () => this.#refresh(),
      onBroken: (reason: string) => this.#onGone(connection, reason),
    }
    try {
      const started = await bringUp(spec, ports, this.#ports.start_ms, stop)
      connection = started.connection
      if (stop.aborted) return await started.connection[Symbol.asyncDispose]()
      this.#up = { ...started, since: this.#ports.clock.now() }
      this.#ports.log.info({ module: spec.name, tools: connection.lists.tools().size }, 'module running')
      this.#refresh()
      void started.link.gone.then((exit) => this.#onGone(connection, exit.reason, exit))
    } catch (error) {
      if (stop.aborted) return
      const failure = error instanceof StartFailure ? error : null
      this.#stderr = failure?.stderr ?? []
      const exit = failure?.exit ?? { code: null, signal: null, reason: this.#words(error) }
      // What was known or asked about the protocol may be what it broke over: the next start does the other.
      this.#spec = { ...this.#spec, probe: spec.kind === 'bundle' && spec.probe === undefined ? LEGACY : undefined }
      this.#retry(exit, this.#ports.clock.now() - from)
    }
  }

  #onProbe(probe: unknown): void {
    const { onProbe } = this.#spec
    this.#spec = { ...this.#spec, probe }
    onProbe(probe)
  }

  /** It went away, or cannot be spoken with any more. */
  #onGone(connection: ModuleConnection | undefined, reason: string, exit?: ModuleExit): void {
    const up = this.#up
    if (up === null || up.connection !== connection) return
    const ran_ms = this.#ports.clock.now() - up.since
    // Where only the connection broke: a process that is about to end is let end, so that its own reason is known.
    const ended = exit ?? (this.#spec.kind === 'remote' ? null : exitWithin(up.link, LAST_WORDS_MS))
    this.#takeDown(ended)
    this.#enter('retrying', this.#words(exit?.reason ?? reason))
    const epoch = this.#epoch
    void Promise.resolve(ended).then((how) => {
      // Otherwise somebody started it meanwhile, or it is not to run any more.
      if (this.#epoch === epoch) this.#retry(how ?? { code: null, signal: null, reason }, ran_ms)
    })
  }

  #retry(exit: ModuleExit, ran_ms: number): void {
    const { clock, chance, log } = this.#ports
    const now = clock.now()
    this.#track.exited(exit, now, ran_ms)
    const { counted } = this.#track
    const pause = this.#spec.kind === 'remote' ? pauseAfter(counted, chance()) : restartPause(counted, now, chance())
    const problem = this.#words(exit.reason)
    if (pause === null) {
      this.#enter(
        'failed',
        `${problem} It went away ${counted.length} times in a short time and is not started again by itself.`,
      )
    } else {
      this.#nextStart = now + pause
      this.#enter('retrying', problem)
      this.#endPause = clock.after(pause, () => {
        this.#track.restarts++
        this.#begin()
      })
    }
    log.warn({ module: this.name, problem: this.#problem, pause_ms: pause }, 'module went away')
  }

  /** A module that does not stop what it was told to stop is stopped itself, as soon as that harms no other call. */
  #onIgnored(connection: ModuleConnection | undefined): void {
    if (this.#up === null || this.#up.connection !== connection) return
    this.#restartWhenIdle = this.#calls > 0
    if (this.#restartWhenIdle) return
    this.#ports.log.warn({ module: this.name }, 'module stopped: it went on with a cancelled call')
    this.#track.restarts++
    this.#takeDown()
    this.#begin()
  }

  /** Lets go of what is up or coming up; it is closed once `before` has settled. */
  #takeDown(before: unknown = null): void {
    this.#epoch++
    this.#clearPause()
    this.#restartWhenIdle = false
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
      await Promise.allSettled([earlier, under, up?.connection[Symbol.asyncDispose]()])
      if (up !== null) this.#stderr = up.link.stderr()
    }
    this.#closing = close()
  }

  #clearPause(): void {
    this.#endPause?.()
    this.#endPause = null
    this.#nextStart = null
  }

  /** Takes over what the lists and pins are now. */
  #refresh(): void {
    if (this.#up === null) return
    const { lists } = this.#up.connection
    this.tools = agreedTools(lists.tools(), this.#pins())
    const problems = lists.problems().join(' ')
    this.#enter(problems === '' ? 'running' : 'degraded', problems === '' ? null : this.#words(problems))
  }

  #enter(state: ModuleRuntime['state'], problem: string | null): void {
    this.#state = state
    this.#problem = problem
    this.#track.entered(state, problem, this.#ports.clock.now())
    this.#ports.onChange(this.name)
  }

  /** Whoever is not part of this program needs agreement, even before anybody has agreed to anything. */
  #pins(): ReadonlyMap<string, string> | null {
    return this.#spec.pins ?? (this.builtin ? null : new Map())
  }

  #running(): ModuleConnection {
    if (this.#up === null) throw new Error('The module is not running.')
    return this.#up.connection
  }

  #words(error: unknown): string {
    const text = error instanceof Error ? error.message : String(error)
    return cut(visible(maskSecrets(text, this.#spec.secrets)), 500)
  }
}
