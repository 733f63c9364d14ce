import type { FaultEntry, History, RequestEntry } from './history.ts'

/** Milliseconds in which whoever is not hit answers. */
const LIMIT_MS = 6000
/** Others may wait for these: whoever is frozen or cut off keeps what it holds in the database. */
const BLOCKING = /freeze|silent database|deaf/
/**
 * What starts a module waits for it: its time counts apart. A tool typed by hand may be one of a module with data that runs
 * on the process that was hit: it waits until that one's lease has run out (12 s) and another has started it.
 */
const SLOW_KINDS: Readonly<Record<string, number>> = {
  direct: 20_000,
  enable: 20_000,
  install: 20_000,
  uninstall: 20_000,
  disable: 20_000,
}
/** As long after a fault as what it hit may still be slow. */
const RECOVERY_MS = 6000
/** As long as the balancer may take to see it. */
const NOTICED_MS = 10_000

export interface LongestWait {
  readonly kind: string
  readonly requests: number
  readonly ms: number
  readonly replica: number | null
  readonly at: number
  /** What was broken elsewhere at that time. */
  readonly during: string
}

/** Checks every request of the history, and gives the longest wait of each kind at replicas that nothing had hit. */
export function checkRequests(history: History, replicas: readonly number[]): LongestWait[] {
  const longest = new Map<string, { count: number; entry: RequestEntry }>()
  for (const entry of history.requests) {
    const { at, kind, status, code, ms, replica, outcome, by } = entry
    const what = `${kind} of ${by} at replica ${replica ?? '–'}: ${outcome} ${status ?? ''} ${code ?? ''} after ${ms} ms`
    if (status === 500 && code !== 'run_failed') history.violation('nothing answers 500', what, at)
    // A module that does not start or stop is no matter of waiting.
    if (status === 503 && !entry.retryAfter && !code?.startsWith('module_'))
      history.violation('503 says when to try again', what, at)
    if (status === 401 && kind !== 'sign in') history.violation('who is signed in stays so', what, at)
    const faults = history.broken(at, at + ms, RECOVERY_MS)
    if (outcome === 'none') {
      const unhurt = replicas.filter((name) => !hit(history.broken(at, at + ms, NOTICED_MS), name))
      if (unhurt.length > 0) history.violation('somebody is ready', `${what}; ${unhurt.join(', ')} had no fault`, at)
      continue
    }
    if (replica === null || hit(faults, replica)) continue
    // A wait counts as far as something was blocked meanwhile: a machine with too much to do is slow by itself.
    const blocked = longestOverlap(faults, at, at + ms)
    if (blocked > (SLOW_KINDS[kind] ?? LIMIT_MS))
      history.violation('the others answer within 6 s', `${what}; ${inWords(faults)}`, at)
    const before = longest.get(kind)
    longest.set(kind, {
      count: (before?.count ?? 0) + 1,
      entry: before === undefined || before.entry.ms < ms ? entry : before.entry,
    })
  }
  return [...longest]
    .map(
      ([
        kind,
        {
          count,
          entry: { at, ms, replica },
        },
      ]) => {
        const during = inWords(history.broken(at, at + ms))
        return { kind, requests: count, ms, replica, at, during }
      },
    )
    .sort((a, b) => b.ms - a.ms)
}

function hit(faults: readonly FaultEntry[], name: number): boolean {
  return faults.some(({ replica }) => replica === null || replica === name)
}

/** For how long one and the same fault could have kept a request waiting. */
function longestOverlap(faults: readonly FaultEntry[], from: number, to: number): number {
  const blocking = faults.filter(({ fault }) => BLOCKING.test(fault))
  return Math.max(0, ...blocking.map(({ blocks, until }) => Math.min(to, until ?? to) - Math.max(from, blocks)))
}

function inWords(faults: readonly FaultEntry[]): string {
  if (faults.length === 0) return 'nothing was broken'
  return faults.map(({ fault, replica }) => (replica === null ? fault : `${fault} at ${replica}`)).join(', ')
}
