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
  /** The person has connected anew since, or is not connected any more: nothing begins over it. */
  left: boolean
}

/** The connections of persons to one module, each with an account of its own: opened for a call, closed when idle. */
export class PersonalLines {
  readonly #lines = new Map<string, PersonalLine>()
  /** Lines of earlier connections, until the calls over them have ended; by line, whose it is. */
  readonly #leaving = new Map<PersonalLine, string>()
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
    const line = await this.#current(user_id, spec)
    const { running } = line
    line.endIdle()
    const { connection } = await line.opening
    // That was while it was opened, so nothing of this call was sent over it.
    if (line.left) return this.of(user_id, spec)
    const rest = () => {
      line.endIdle()
      line.endIdle = this.#ports.clock.after(IDLE_MS, () => {
        if (running.size > 0) return rest()
        void this.#close(user_id, line)
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
        await this.#close(user_id, line)
      },
    }
  }

  /** Something of the module has changed: lines of connections that have ended are closed, and the others told the level. */
  async review(spec: ModuleSpec): Promise<void> {
    const { personal } = spec
    const seen = new Map(this.#lines)
    const people = new Set([...seen.keys(), ...this.#leaving.values()])
    if (personal === undefined || people.size === 0) return
    const since = await personal.since([...people])
    for (const [user_id, line] of seen) if (since.get(user_id) !== line.since) this.#replace(user_id, line, since)
    for (const [line, user_id] of this.#leaving) if (!since.has(user_id)) void this.#close(user_id, line)
    for (const { opening } of this.#lines.values())
      opening.then(({ connection }) => connection.logAt(spec.log_level ?? null)).catch(() => undefined)
  }

  /** The line of the connection that the person has now. */
  async #current(user_id: string, spec: ModuleSpec): Promise<PersonalLine> {
    for (;;) {
      const seen = this.#lines.get(user_id)
      const read = (await spec.personal?.since([user_id])) ?? new Map<string, number>()
      const since = read.get(user_id)
      const line = this.#lines.get(user_id)
      if (line !== undefined && line.since === since) return line
      // What was read may be older than a line that was opened meanwhile; it is not older than one that was there before.
      if (line !== undefined && line !== seen) continue
      if (line !== undefined) this.#replace(user_id, line, read)
      const opened = this.#open(user_id, spec, since)
      this.#lines.set(user_id, opened)
      return opened
    }
  }

  /**
   * Nothing begins over it any more. Where the person has connected anew, what is under way goes on, each call until its own
   * end; where they are not connected any more, it ends.
   */
  #replace(user_id: string, line: PersonalLine, since: ReadonlyMap<string, number>): void {
    line.left = true
    if (!since.has(user_id)) return void this.#close(user_id, line)
    if (this.#lines.get(user_id) === line) this.#lines.delete(user_id)
    line.endIdle()
    this.#leaving.set(line, user_id)
    void Promise.allSettled(line.running).then(() => this.#close(user_id, line))
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
    const line: PersonalLine = { since, opening, running: new Set(), endIdle: () => undefined, left: false }
    opening.then(
      ({ link }) => link.gone.then(() => this.#close(user_id, line)),
      () => this.#close(user_id, line),
    )
    return line
  }

  async #close(user_id: string, line: PersonalLine): Promise<void> {
    if (this.#lines.get(user_id) === line) this.#lines.delete(user_id)
    this.#leaving.delete(line)
    line.endIdle()
    await Promise.allSettled([line.opening.then(({ connection }) => connection[Symbol.asyncDispose]())])
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const leaving = [...this.#leaving].map(([line, user_id]) => this.#close(user_id, line))
    await Promise.all([...leaving, ...[...this.#lines].map(([user_id, line]) => this.#close(user_id, line))])
  }
}
