import type { CallHost } from '../ports/hosts.ts'
import type { ToolResult } from '../ports/tools.ts'

/** Machines read at once. */
const READS = 16
/** Machines changed at once, after the first has come through alone. */
const WRITES = 4

/** How a call ended on one of its machines; `skipped`: it never began there. */
export interface HostEnd {
  readonly host: CallHost
  readonly status: ToolResult['status'] | 'skipped'
  /** Epoch milliseconds; null where it never began. */
  readonly started_at: number | null
  readonly ended_at: number | null
  readonly result: ToolResult | null
}

interface FanOut {
  readonly hosts: readonly CallHost[]
  /** It changes nothing, so one machine's failure says nothing about the others. */
  readonly reads: boolean
  /** Never rejects. */
  readonly call: (host: CallHost) => Promise<ToolResult>
  /** Before and after each call that may change something. */
  readonly onBegin: (host: CallHost) => Promise<void>
  readonly onEnd: (end: HostEnd) => Promise<void>
}

/**
 * Runs a call on each of its machines: reading ones all of them, 16 at once; others on one first, then on 4 at a time, and
 * no further after one that did not come through. Rejects only as `onBegin` and `onEnd` do, when nothing runs any more.
 */
export async function fanOut({ hosts, reads, call, onBegin, onEnd }: FanOut, signal: AbortSignal): Promise<HostEnd[]> {
  const ends = new Map<CallHost, HostEnd>()
  let going = true
  const one = async (host: CallHost): Promise<void> => {
    if (!reads) await onBegin(host)
    const started_at = Date.now()
    const result = await call(host)
    const end = { host, status: result.status, started_at, ended_at: Date.now(), result }
    ends.set(host, end)
    if (!reads && result.status !== 'done') going = false
    if (!reads) await onEnd(end)
  }
  const waiting = [...hosts]
  const worker = async (): Promise<void> => {
    for (let host = next(); host !== undefined; host = next()) await one(host).catch(stopped)
  }
  const next = () => (going && !signal.aborted ? waiting.shift() : undefined)
  const stopped = (error: unknown): never => {
    going = false
    throw error
  }
  const first = reads ? undefined : next()
  if (first !== undefined) await one(first)
  const workers = await Promise.allSettled(Array.from({ length: reads ? READS : WRITES }, worker))
  for (const outcome of workers) if (outcome.status === 'rejected') throw outcome.reason
  return hosts.map(
    (host) => ends.get(host) ?? { host, status: 'skipped', started_at: null, ended_at: null, result: null },
  )
}
