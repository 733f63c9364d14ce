import type { HostFigures as Figures, HostSummary } from '../../../contract/host-figures.ts'
import type { HostState } from '../../../contract/hosts.ts'
import { LOCAL_HOST } from '../../../contract/host-values.ts'
import type { Caller } from '../../../contract/route.ts'
import type { JudgedHost } from '../../chat/ports/hosts.ts'
import type { Database } from '../../db/database.ts'
import { iso } from '../../kernel/time.ts'
import { MachineUnreachable, type Machine } from '../../modules/machines.ts'
import { type KnownHost, readHosts } from '../host-rows.ts'
import { FIGURES_SCRIPT, readFigures } from './read-figures.ts'

/** How old figures get while somebody asks for them. */
const YOUNG_MS = 30_000
const AT_ONCE = 16
const LOOK_MS = 20_000
/** It gave no answer in time: the state says it all. */
const SILENT = { state: 'unreachable', problem: null } as const
/** Nobody signs in there, or has to be asked first. */
const NOT_ASKED: readonly HostState[] = ['key_unknown', 'key_changed', 'sign_in_refused']

export interface HostFiguresOptions {
  readonly db: Database
  readonly mayUse: (caller: Caller) => Promise<(host: JudgedHost) => boolean>
  /** For a look that comes again by itself; null: nothing connects to it. */
  readonly machineOf: (host: KnownHost, all: ReadonlyMap<string, KnownHost>) => Promise<Machine | null>
  /** In the background, until the service stops. */
  readonly spawn: (work: (signal: AbortSignal) => Promise<void>) => void
}

interface Look {
  /** What it was made with: another key or address is another machine. */
  readonly of: string
  figures: Figures | null
  failed: { readonly state: HostState; readonly problem: string | null } | null
  /** `performance.now()` of the beginning of the last one. */
  at: number
  done: boolean
  /** Settles when the one under way has ended. */
  ended: Promise<void>
}

/**
 * All machines at a glance. They are looked at while somebody asks: one script each over the connection that is open
 * anyway, and nothing is stored. Whoever asks is answered at once.
 */
export class HostFigures {
  readonly #options: HostFiguresOptions
  readonly #looks = new Map<string, Look>()

  constructor(options: HostFiguresOptions) {
    this.#options = options
  }

  async list(caller: Caller): Promise<HostSummary[]> {
    const all = await readHosts(this.#options.db.read)
    const may = await this.#options.mayUse(caller)
    const seen = [...all.values()].filter(({ host_id, name, tags }) =>
      may({ name, tags, local: host_id === LOCAL_HOST }),
    )
    for (const host_id of this.#looks.keys()) if (!all.has(host_id)) this.#looks.delete(host_id)
    if (seen.length > 1) this.#lookSoon(seen, all)
    return seen.map((host) => this.#summary(host))
  }

  /**
   * What is known of these machines, looked at now where that is older than half a minute. For whoever may: nothing is judged.
   * Machines that are gone are left out.
   */
  async now(host_ids: readonly string[], signal: AbortSignal): Promise<HostSummary[]> {
    const all = await readHosts(this.#options.db.read)
    signal.throwIfAborted()
    const hosts = host_ids.flatMap((host_id) => all.get(host_id) ?? [])
    this.#lookSoon(hosts, all)
    const under_way = hosts.flatMap(({ host_id }) => this.#looks.get(host_id)?.ended ?? [])
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    await Promise.race([Promise.all(under_way), stopped])
    return hosts.map((host) => this.#summary(host))
  }

  #lookSoon(hosts: readonly KnownHost[], all: ReadonlyMap<string, KnownHost>): void {
    const now = performance.now()
    const due = hosts.filter((host) => {
      const look = this.#looks.get(host.host_id)
      return isAsked(host) && (look?.of !== madeWith(host) || (look.done && now - look.at >= YOUNG_MS))
    })
    if (due.length === 0) return
    const ends = new Map<string, () => void>()
    for (const host of due) {
      const before = this.#looks.get(host.host_id)
      const kept = before?.of === madeWith(host) ? before : { figures: null, failed: null }
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      ends.set(host.host_id, resolve)
      this.#looks.set(host.host_id, { ...kept, of: madeWith(host), at: now, done: false, ended })
    }
    this.#options.spawn(async (signal) => {
      const worker = async (): Promise<void> => {
        for (let host = due.shift(); host !== undefined; host = due.shift())
          await this.#look(host, all, signal).finally(ends.get(host.host_id))
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
    })
  }

  async #look(host: KnownHost, all: ReadonlyMap<string, KnownHost>, stop: AbortSignal): Promise<void> {
    const look = this.#looks.get(host.host_id)
    if (look === undefined) return
    try {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(LOOK_MS)])
      const machine = await this.#options.machineOf(host, all)
      if (machine === null) return
      // It tells which of the states it is, where there is no connection.
      await machine.facts(signal)
      const argv = ['/bin/sh', '-c', FIGURES_SCRIPT] as const
      const outcome = await machine.run({ argv, deadline_ms: LOOK_MS, max_bytes: 128 * 1024 }, signal)
      if (outcome.kind === 'ended' && outcome.stopped === null) {
        look.figures = { ...readFigures(outcome.stdout), at: iso(Date.now()) }
        look.failed = null
      } else if (outcome.kind === 'lost') look.failed = { state: 'unreachable', problem: outcome.message }
      else if (!stop.aborted) look.failed = SILENT
    } catch (error) {
      if (error instanceof MachineUnreachable) look.failed = { state: error.state, problem: error.message }
      else if (!stop.aborted) look.failed = SILENT
    } finally {
      look.done = true
    }
  }

  #summary(host: KnownHost): HostSummary {
    const { host_id, name, disabled_at, found, host_key } = host
    const look = this.#looks.get(host_id)
    const known = look?.of === madeWith(host) && isAsked(host) ? look : null
    const stored = found?.state ?? (host_id === LOCAL_HOST ? 'ok' : host_key === null ? 'key_unknown' : null)
    const failed = known?.failed ?? null
    const state = failed?.state ?? (known?.figures == null ? stored : 'ok')
    return {
      host_id,
      name,
      disabled: disabled_at !== null,
      state,
      problem: failed === null ? (state === 'ok' ? null : (found?.problem ?? null)) : failed.problem,
      figures: known?.figures ?? null,
      looking: known !== null && !known.done && known.figures === null && known.failed === null,
    }
  }
}

function isAsked({ host_id, disabled_at, host_key, found }: KnownHost): boolean {
  if (disabled_at !== null) return false
  return host_id === LOCAL_HOST || (host_key !== null && !NOT_ASKED.includes(found?.state ?? 'ok'))
}

function madeWith({ address, port, account, jump_host_id, host_key }: KnownHost): string {
  return JSON.stringify([address, port, account, jump_host_id, host_key])
}
