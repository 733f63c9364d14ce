import type { ModuleSpec } from '../spec/module-spec.ts'
import type { StartedModule } from './bring-up.ts'
import { type CallLine, idleWithin } from './call-line.ts'
import type { AgreedTool } from './runtime-tools.ts'
import type { SupervisionPorts } from './supervision-ports.ts'

/** How long a connection without calls is kept. */
const IDLE_MS = 5 * 60_000

interface PersonalLine {
  /** When the connection was made that it was opened with; undefined: there was none. */
  readonly since: number | undefined
  readonly opening: Promise<StartedModule>
  readonly running: Set<Promise<unknown>>
  endIdle: () => void
}

/** The connections of persons to one module, each with an account of its own: opened for a call, closed when idle. */
export class PersonalLines {
  readonly #lines = new Map<string, PersonalLine>()
  readonly #ports: SupervisionPorts
  readonly #agreed: (name: string) => AgreedTool | undefined
  readonly #stop = new AbortController()

  /** `agreed` are the tools as the module lists them to an administrator: only these are called, for anybody. */
  constructor(ports: SupervisionPorts, agreed: (name: string) => AgreedTool | undefined) {
    this.#ports = ports
    this.#agreed = agreed
  }

  /** @throws {StartFailure} when there is no connection */
  async of(user_id: string, spec: ModuleSpec): Promise<CallLine> {
    const since = (await spec.personal?.since([user_id]))?.get(user_id)
    let line = this.#lines.get(user_id)
    if (line !== undefined && line.since !== since) {
      void this.#close(user_id, line)
      line = undefined
    }
    if (line === undefined) this.#lines.set(user_id, (line = this.#open(user_id, spec, since)))
    const { running } = line
    line.endIdle()
    const used = line
    const { connection } = await used.opening
    const rest = () => {
      used.endIdle()
      used.endIdle = this.#ports.clock.after(IDLE_MS, () => {
        if (running.size > 0) return rest()
        void this.#close(user_id, used)
      })
    }
    rest()
    return {
      connection,
      running,
      tool: (name) => {
        const agreed = this.#agreed(name)
        const own = connection.lists.tools().get(name)
        // What a server shows to one account alone, nobody has agreed to.
        return own !== undefined && own.definition_hash === agreed?.definition_hash ? agreed : undefined
      },
      onIgnored: () => undefined,
      renew: async () => {
        await idleWithin(running, this.#ports.grace_ms)
        await this.#close(user_id, used)
      },
    }
  }

  /** Something of the module has changed: lines of connections that have ended are closed, and the others told the level. */
  async review(spec: ModuleSpec): Promise<void> {
    const { personal } = spec
    if (personal === undefined || this.#lines.size === 0) return
    const since = await personal.since([...this.#lines.keys()])
    for (const [user_id, line] of this.#lines) {
      if (since.get(user_id) !== line.since) void this.#close(user_id, line)
      else line.opening.then(({ connection }) => connection.logAt(spec.log_level ?? null)).catch(() => undefined)
    }
  }

  #open(user_id: string, spec: ModuleSpec, since: number | undefined): PersonalLine {
    const own = { ...spec, ...spec.personal?.opening(user_id) }
    const ports = {
      log: this.#ports.log,
      grace_ms: this.#ports.grace_ms,
      onLists: () => undefined,
      onBroken: () => void this.#close(user_id, line),
    }
    const opening = import('./bring-up.ts').then(({ bringUp }) =>
      bringUp(own, ports, this.#ports.start_ms, this.#stop.signal, () => undefined).then(async (started) => {
        // What is called over it is told from its first call on.
        await started.connection.logAt(spec.log_level ?? null)
        return started
      }),
    )
    const line: PersonalLine = { since, opening, running: new Set(), endIdle: () => undefined }
    opening.then(
      ({ link }) => link.gone.then(() => this.#close(user_id, line)),
      () => this.#close(user_id, line),
    )
    return line
  }

  async #close(user_id: string, line: PersonalLine): Promise<void> {
    if (this.#lines.get(user_id) === line) this.#lines.delete(user_id)
    line.endIdle()
    await Promise.allSettled([line.opening.then(({ connection }) => connection[Symbol.asyncDispose]())])
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all([...this.#lines].map(([user_id, line]) => this.#close(user_id, line)))
  }
}
