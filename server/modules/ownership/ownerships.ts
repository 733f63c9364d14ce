import { hostname } from 'node:os'
import type { Database } from '../../db/database.ts'
import type { HostLog } from '../spec/host-log.ts'
import { type OwnerRow, type OwnerRows, OWNERS_TOPIC } from './owner-rows.ts'

/** How long a module is owned without being renewed, by the database's time. */
export const LEASE_MS = 12_000
const BEAT_MS = 2000
/** Unrenewed for so long, its owner stops a module: well before another may start it. */
const GIVE_UP_MS = 7000
/** Unrenewed for so long, its processes are killed from outside, even if their owner stands still. */
const KILL_MS = 10_000
const LOOK_MS = 500
/** How long the wish for another's module holds unless it is repeated. */
const WISH_MS = 5000

/** What this process owns. */
export interface Ownership {
  readonly row: OwnerRow
  /** Set once it is being given up: nothing is started or called any more. */
  leaving: Promise<void> | null
}

export interface OwnershipPorts {
  readonly db: Database
  readonly rows: OwnerRows
  /** Name of this process. */
  readonly me: string
  readonly log: HostLog
  /** The modules that this process would run, and whether one of them has to run here. */
  wanted(): ReadonlyMap<string, { readonly trial?: boolean }>
  /** Stops what runs of the module here, and keeps its data. Resolves when nothing is left of it. */
  leave(module: string, ownership: Ownership): Promise<void>
  /** Ends what runs of the module here: it is lost, and another process may start it soon. */
  lose(module: string): void
  /** When its processes are to be killed unless this is called again; see `ModuleLink.until`. */
  killAt(module: string, at: number): void
  /** Called when who owns what has changed, or what an owner tells. */
  onChange(): void
}

/** Milliseconds of the machine's clock that only goes forward. */
function monotonic(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

/**
 * Which modules this process owns, so that each runs in one process. What is owned is renewed; what cannot be renewed is
 * stopped before its lease ends, and what nobody owns is taken.
 */
export class Ownerships {
  readonly #ports: OwnershipPorts
  readonly #owned = new Map<string, Ownership>()
  readonly #stopListening: () => void
  readonly #timers: NodeJS.Timeout[]
  /** As last read: of all modules, whoever owns them. */
  #known: ReadonlyMap<string, OwnerRow> = new Map()
  #renewedAt = 0
  #news = ''
  #beating: Promise<void> | null = null
  #again = false
  #changed = Promise.withResolvers<void>()
  #closing = false

  constructor(ports: OwnershipPorts) {
    this.#ports = ports
    this.#stopListening = ports.db.onWake(OWNERS_TOPIC, () => void this.beat())
    this.#timers = [setInterval(() => this.#beatIfNeeded(), BEAT_MS), setInterval(() => this.#look(), LOOK_MS)]
    for (const timer of this.#timers) timer.unref()
  }

  /** What this process owns of a module; null while it does not, or cannot be sure. */
  owned(module: string): Ownership | null {
    const ownership = this.#owned.get(module)
    return ownership === undefined || ownership.leaving !== null || this.#isLate(GIVE_UP_MS) ? null : ownership
  }

  /** Also while it is being given up. */
  holding(module: string): Ownership | null {
    return this.#owned.get(module) ?? null
  }

  /** The modules that this process owns now. */
  names(): string[] {
    return [...this.#owned.keys()].filter((module) => this.owned(module) !== null)
  }

  /** The name of the process that runs a module elsewhere; null when none does. */
  elsewhere(module: string): string | null {
    const row = this.#known.get(module)
    return row === undefined || row.over || row.owner === this.#ports.me ? null : row.owner
  }

  known(module: string): OwnerRow | undefined {
    return this.#known.get(module)
  }

  /** Resolves with the next change of who owns what, or after `ms`. */
  async change(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await Promise.race([this.#changed.promise, new Promise((resolve) => (timer = setTimeout(resolve, ms)))])
    clearTimeout(timer)
  }

  /** Wants to run a module that another process runs. */
  async want(module: string): Promise<void> {
    await this.#ports.rows.want(module, WISH_MS)
  }

  /** Resolves when nothing of a module runs here any more that is not wanted, and no other process owns it. */
  async left(module: string, deadline_ms: number): Promise<boolean> {
    const until = monotonic() + deadline_ms
    for (;;) {
      await this.beat()
      await this.#owned.get(module)?.leaving
      const row = this.#known.get(module)
      if (!this.#owned.has(module) && (row === undefined || row.owner === null || row.over)) return true
      if (monotonic() >= until) return false
      await this.change(LOOK_MS)
    }
  }

  /** Renews, looks who owns what, and takes or gives up what should be. Never rejects. */
  beat(): Promise<void> {
    if (this.#beating !== null) {
      this.#again = true
      return this.#beating
    }
    this.#beating = this.#beats()
      .catch((error: unknown) => this.#ports.log.warn({ err: error }, 'owners of modules were not read'))
      .finally(() => (this.#beating = null))
    return this.#beating
  }

  /** Where no module is shared, nothing is asked. */
  #beatIfNeeded(): void {
    if (this.#owned.size > 0 || this.#ports.wanted().size > 0) void this.beat()
  }

  async #beats(): Promise<void> {
    do {
      this.#again = false
      await this.#beat()
    } while (this.#again)
  }

  async #beat(): Promise<void> {
    const { rows, me, wanted, log } = this.#ports
    if (this.#owned.size > 0) await this.#renew()
    this.#known = await rows.read()
    for (const [module, ownership] of this.#owned) {
      const row = this.#known.get(module)
      const another = row?.wanted === true && row.wanted_by !== me
      if (ownership.leaving === null && (another || this.#closing || !wanted().has(module)))
        this.#leave(module, ownership)
    }
    if (this.#closing) return
    for (const [module, { trial }] of wanted()) {
      const row = this.#known.get(module)
      if (this.#owned.has(module)) continue
      if (row !== undefined && row.owner !== null && !row.over) continue
      if (row?.wanted === true && row.wanted_by !== me) continue
      const at = monotonic()
      const taken = await rows.take(module, hostname(), trial === true)
      if (taken === null) continue
      if (this.#owned.size === 0) this.#renewedAt = at
      this.#owned.set(module, { row: taken, leaving: null })
      this.#known = new Map(this.#known).set(module, taken)
      log.info({ module, epoch: taken.epoch }, 'module is run by this process')
    }
    this.#tellNews()
  }

  async #renew(): Promise<void> {
    // The lease counts from some time after this.
    const at = monotonic()
    const renewed = await this.#ports.rows.renew()
    for (const [module, { row }] of this.#owned) if (renewed.get(module) !== row.epoch) this.#lose(module)
    this.#renewedAt = at
    for (const module of this.#owned.keys()) this.#ports.killAt(module, this.killedAt)
  }

  /** When processes started now are killed unless their module is renewed. */
  get killedAt(): number {
    return this.#renewedAt + KILL_MS
  }

  #leave(module: string, ownership: Ownership): void {
    ownership.leaving = this.#ports
      .leave(module, ownership)
      .then(() => this.#ports.rows.release(module, ownership.row.epoch))
      .catch((error: unknown) => this.#ports.log.warn({ module, err: error }, 'module was not given up'))
      .then(() => {
        if (this.#owned.get(module) === ownership) this.#owned.delete(module)
        this.#tell()
        if (!this.#closing) void this.beat()
      })
  }

  #lose(module: string): void {
    this.#ports.log.warn({ module }, 'module is no longer run by this process: its lease was not renewed in time')
    this.#owned.delete(module)
    this.#ports.lose(module)
  }

  #isLate(ms: number): boolean {
    return monotonic() - this.#renewedAt >= ms
  }

  /** Without the database nothing can be renewed, and waiting for it may take longer than the lease. */
  #look(): void {
    if (this.#owned.size === 0 || !this.#isLate(GIVE_UP_MS)) return
    for (const module of [...this.#owned.keys()]) this.#lose(module)
    this.#tell()
  }

  /** Tells only what is new: this is asked every two seconds. */
  #tellNews(): void {
    const news = JSON.stringify([[...this.#owned.keys()], [...this.#known.values()].map(newsOf)])
    if (news === this.#news) return
    this.#news = news
    this.#tell()
  }

  #tell(): void {
    const changed = this.#changed
    this.#changed = Promise.withResolvers()
    changed.resolve()
    this.#ports.onChange()
  }

  /** Gives everything up. */
  async close(): Promise<void> {
    this.#closing = true
    this.#stopListening()
    await this.beat()
    while (this.#owned.size > 0) {
      await Promise.all([...this.#owned.values()].map(({ leaving }) => leaving))
      if (this.#owned.size > 0) await this.beat()
    }
    for (const timer of this.#timers) clearInterval(timer)
  }
}

/** A row without what changes all the time. */
function newsOf({
  lease_until: _until,
  wanted_until: _wish,
  ...row
}: OwnerRow): Omit<OwnerRow, 'lease_until' | 'wanted_until'> {
  return row
}
