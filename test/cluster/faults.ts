import { setTimeout as sleep } from 'node:timers/promises'
import type { History } from './history.ts'
import type { Cluster } from './open-cluster.ts'
import type { Random } from './random.ts'
import type { Replica } from './replica.ts'

/** What can go wrong, with how often it does. */
export const MENU = {
  kill: 10,
  freeze: 8,
  'freeze in a transaction': 6,
  'cut database': 8,
  'lose the answer to a commit': 8,
  'silent database': 6,
  'deaf to the database': 6,
  'slow database': 6,
  'cut store': 5,
  'silent store': 4,
  'slow store': 5,
  'clock ahead': 4,
  'clock behind': 4,
  'stop and start': 5,
  'rolling restart': 1,
  'restart of PostgreSQL': 2,
  'crash of PostgreSQL': 1,
} as const
export type FaultKind = keyof typeof MENU

/** These befall all replicas. */
const OF_ALL: readonly FaultKind[] = ['rolling restart', 'restart of PostgreSQL', 'crash of PostgreSQL']
const SHORT = [200, 2500] as const
const FROZEN = [2000, 20_000] as const
/** Whoever waits for its locks must notice. */
const HOLDING = [8000, 20_000] as const
/** Longer than the lease of a run, so that another must take it over. */
const LONG_MS = 45_000

export interface PlannedFault {
  readonly kind: FaultKind
  /** Which replica, from 0. */
  readonly at: number
  /** Milliseconds until it is mended. */
  readonly lasts: number
  /** Milliseconds until the next one may begin. */
  readonly pause: number
  readonly ahead: number
}

/**
 * The faults of a seed, in order. `pace` is the middle of the pauses between two, in milliseconds; `longest` bounds how long one
 * lasts.
 */
export function planFaults(
  random: Random,
  { count, processes, pace, longest }: { count: number; processes: number; pace: number; longest: number },
): PlannedFault[] {
  return Array.from({ length: count }, () => {
    const kind = random.weighted(MENU)
    const waits = /freeze|silent|deaf/.test(kind)
    // Mostly short: a run of many faults sees more states that way. One in forty outlasts a lease.
    const [least, most] = kind === 'freeze in a transaction' ? HOLDING : waits && random.next() < 0.35 ? FROZEN : SHORT
    const usual = random.between(least, most) + (waits ? 1500 : 0)
    const lasts = Math.min(longest, waits && random.next() < 0.025 ? LONG_MS : usual)
    return {
      kind,
      at: random.between(0, processes - 1),
      lasts,
      pause: random.between(Math.round(pace / 2), Math.round(pace * 1.5)),
      ahead: random.between(60_000, 300_000),
    }
  })
}

/** Makes faults happen, each at its replica, so that at any time one replica at least has none. */
export class FaultDriver {
  readonly #cluster: Cluster
  readonly #history: History
  readonly #faulty = new Set<Replica>()
  readonly #going = new Set<Promise<void>>()
  /** What is tried while a replica hears nothing. */
  readonly #probe: (deaf: Replica) => Promise<void>
  done = 0

  constructor(cluster: Cluster, history: History, probe: (deaf: Replica) => Promise<void>) {
    this.#cluster = cluster
    this.#history = history
    this.#probe = probe
  }

  /** Until all are done or `signal` is aborted; afterwards everything is mended. */
  async run(plan: readonly PlannedFault[], signal: AbortSignal): Promise<void> {
    const { replicas } = this.#cluster
    const most = Math.max(1, replicas.length - 1)
    for (const fault of plan) {
      if (signal.aborted) break
      const all = OF_ALL.includes(fault.kind)
      const replica = replicas[fault.at]!
      const waits = (): boolean =>
        all ? this.#faulty.size > 0 : this.#faulty.size >= most || this.#faulty.has(replica)
      while (waits()) await Promise.race(this.#going)
      const hit = all ? replicas : [replica]
      for (const each of hit) this.#faulty.add(each)
      const going = this.#make(fault, replica)
        .catch((error: unknown) => this.#history.violation('a replica starts', String(error)))
        .finally(() => {
          for (const each of hit) this.#faulty.delete(each)
          this.#going.delete(going)
          this.done++
        })
      this.#going.add(going)
      // What befalls all stands alone.
      if (all) await going
      await sleep(fault.pause, undefined, { signal }).catch(() => undefined)
    }
    await Promise.all(this.#going)
  }

  async #make({ kind, lasts, ahead }: PlannedFault, replica: Replica): Promise<void> {
    const of = OF_ALL.includes(kind) ? null : replica.name
    const fault = this.#history.fault(kind, of)
    try {
      switch (kind) {
        case 'kill':
          await replica.end('SIGKILL')
          await sleep(lasts)
          return await replica.start()
        case 'freeze':
          return await this.#freeze(replica, lasts)
        case 'freeze in a transaction':
          return await this.#freezeWithLocks(replica, lasts, fault.blocks)
        case 'cut database':
          return await during(
            lasts,
            () => replica.database.set('cut'),
            () => replica.database.set('open'),
          )
        case 'lose the answer to a commit':
          return await this.#loseCommit(replica)
        case 'silent database':
          return await during(
            lasts,
            () => replica.database.set('silent'),
            () => replica.database.set('open'),
          )
        case 'deaf to the database':
          return await this.#deafen(replica, lasts)
        case 'slow database':
          return await during(
            lasts,
            () => (replica.database.delay = 30),
            () => (replica.database.delay = 0),
          )
        case 'cut store':
          return await during(
            lasts,
            () => replica.store.set('cut'),
            () => replica.store.set('open'),
          )
        case 'silent store':
          return await during(
            lasts,
            () => replica.store.set('silent'),
            () => replica.store.set('open'),
          )
        case 'slow store':
          return await during(
            lasts,
            () => (replica.store.delay = 150),
            () => (replica.store.delay = 0),
          )
        case 'clock ahead':
          return await during(
            lasts,
            () => replica.shiftClock(ahead),
            () => replica.shiftClock(0),
          )
        case 'clock behind':
          return await during(
            lasts,
            () => replica.shiftClock(-ahead),
            () => replica.shiftClock(0),
          )
        case 'stop and start':
          return await this.#restart(replica)
        case 'rolling restart':
          for (const each of this.#cluster.replicas) await this.#restart(each)
          return
        case 'restart of PostgreSQL':
          return await this.#cluster.postgres.restart('INT')
        case 'crash of PostgreSQL':
          return await this.#cluster.postgres.restart('QUIT')
      }
    } finally {
      fault.over()
    }
  }

  async #freeze(replica: Replica, lasts: number): Promise<void> {
    await during(
      lasts,
      () => replica.signal('SIGSTOP'),
      () => replica.signal('SIGCONT'),
    )
  }

  /** Frozen as it is about to commit a transaction that writes the audit log: with every lock that this takes. */
  async #freezeWithLocks(replica: Replica, lasts: number, blocks: () => void): Promise<void> {
    const limit = setTimeout(() => replica.database.letGo(), 5000)
    const held = await replica.database.holdCommit(/insert into "audit/)
    clearTimeout(limit)
    blocks()
    this.#history.note('held', { replica: replica.name, held })
    await this.#freeze(replica, lasts)
    replica.database.letGo()
  }

  /** Over when it has happened: a replica that starts with it coming would not start. */
  async #loseCommit(replica: Replica): Promise<void> {
    const limit = setTimeout(() => replica.database.letGo(), 5000)
    await replica.database.loseNextCommit()
    clearTimeout(limit)
  }

  async #deafen(replica: Replica, lasts: number): Promise<void> {
    const end = performance.now() + lasts
    replica.database.set('deaf')
    try {
      await this.#probe(replica)
      await sleep(Math.max(0, end - performance.now()))
    } finally {
      replica.database.set('open')
    }
  }

  /** As a supervisor does it. What does not end within its time was stuck: that is a finding. */
  async #restart(replica: Replica): Promise<void> {
    const killing = setTimeout(() => {
      this.#history.violation('a replica ends when asked to', `${replica.name} did not within 60 s`)
      void replica.end('SIGKILL')
    }, 60_000)
    const code = await replica.end('SIGTERM')
    clearTimeout(killing)
    if (code !== 0)
      this.#history.violation('a replica ends in good order', `${replica.name}: code ${code}\n${replica.lastWords}`)
    await replica.start()
  }
}

async function during(lasts: number, begin: () => void, end: () => void): Promise<void> {
  begin()
  try {
    await sleep(lasts)
  } finally {
    end()
  }
}
