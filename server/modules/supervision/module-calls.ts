import type { ToolRequest, ToolResult } from '../../chat/ports/tools.ts'
import type { ModuleConnection } from '../mcp/connection.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'
import { type CallLine, callOverLine, idleWithin } from './call-line.ts'
import { say } from '../../kernel/sentence.ts'
import { ownCause } from '../mcp/broken-connection.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import { SessionExpired } from '../spec/remote-refusals.ts'
import { PersonalLines } from './personal-lines.ts'
import type { UpModule } from './runtime-of.ts'
import type { AgreedTool } from './runtime-tools.ts'
import type { SupervisionPorts } from './supervision-ports.ts'

/** What calls need of their module. */
export interface CalledModule {
  spec(): ModuleSpec
  up(): UpModule | null
  tool(name: string): AgreedTool | undefined
  /** Stops it and starts it again. */
  anew(): void
  /** Resolves when no start is in progress. */
  settled(): Promise<void>
  /** Resolves when everything of earlier starts is closed. */
  closed(): Promise<void>
}

/** The calls of one module: they run side by side, and some of them end with a new start of it. */
export class ModuleCalls {
  readonly #module: CalledModule
  readonly #ports: SupervisionPorts
  #persons: PersonalLines | null = null
  #running = 0
  #restartWhenIdle = false

  constructor(module: CalledModule, ports: SupervisionPorts) {
    this.#module = module
    this.#ports = ports
  }

  get busy(): boolean {
    return this.#running > 0
  }

  /** The module was stopped, so it need not be because of its calls. Resolves when connections of persons are closed too. */
  async stopped(): Promise<void> {
    this.#restartWhenIdle = false
    const persons = this.#persons
    this.#persons = null
    await persons?.close()
  }

  /** Its specification is another one now, though it need not start anew for that. */
  reviewed(): void {
    const spec = this.#module.spec()
    this.#persons?.review(spec).catch((error: unknown) => {
      this.#ports.log.warn({ module: spec.name, err: error }, 'connections of persons were not looked at')
    })
  }

  /** What is asked of the module itself. If it has forgotten the session, it is asked again in a new one. */
  async inSession<T>(ask: (connection: ModuleConnection) => Promise<T>): Promise<T> {
    const over = async (line: CallLine) => {
      const asked = ask(connected(line))
      line.running.add(asked)
      return asked.finally(() => line.running.delete(asked))
    }
    const line = this.#line()
    try {
      return await over(line)
    } catch (error) {
      if (!(ownCause(error) instanceof SessionExpired)) throw error
      await line.renew()
      return await over(this.#line())
    }
  }

  async call(request: ToolRequest, signal: AbortSignal, progress: (text: string) => void): Promise<ToolResult> {
    const { secrets, kind } = this.#module.spec()
    const up = this.#module.up()
    this.#running++
    const ports = { secrets, deadline_ms: this.#ports.deadline_ms, log: this.#ports.log }
    const result = await callOverLine(() => this.#lineFor(request.user_id), ports, request, signal, progress).finally(
      () => {
        this.#running--
        if (this.#restartWhenIdle) this.#onIgnored(up?.connection)
      },
    )
    if (result.ignored === undefined || kind !== 'bundle') return result
    if (this.#restartWhenIdle) return { ...result, ignored: 'restarts_when_idle' }
    await this.#module.closed()
    return { ...result, ignored: 'restarted' }
  }

  /** Checks of the module itself are nobody's, and go over the connection that lists the tools. */
  #lineFor(user_id: string): CallLine | Promise<CallLine> {
    const spec = this.#module.spec()
    if (spec.personal === undefined || user_id === '' || user_id === spec.personal.lister || this.#module.up() === null)
      return this.#line()
    this.#persons ??= new PersonalLines(this.#ports, (name) => this.#module.tool(name))
    return this.#persons.of(user_id, spec)
  }

  #line(): CallLine {
    const up = this.#module.up()
    return {
      connection: up?.connection ?? null,
      running: up?.running ?? new Set(),
      tool: (name) => (this.#module.up() === up ? this.#module.tool(name) : undefined),
      onIgnored: () => this.#onIgnored(up?.connection),
      renew: async () => {
        await idleWithin(up?.running ?? new Set(), this.#ports.grace_ms)
        if (this.#module.up() === up) this.#module.anew()
        await this.#module.settled()
      },
    }
  }

  /** Stops a module that goes on with a cancelled call, as soon as that harms no other call. */
  #onIgnored(connection: ModuleConnection | undefined): void {
    const up = this.#module.up()
    if (up === null || up.connection !== connection) return
    this.#restartWhenIdle = this.#running > 0
    if (this.#restartWhenIdle) return
    this.#ports.log.warn({ module: this.#module.spec().name }, 'module stopped: it went on with a cancelled call')
    this.#module.anew()
  }
}

function connected({ connection }: CallLine): ModuleConnection {
  if (connection === null) throw new ModuleProblem(say`The module is not running.`)
  return connection
}
