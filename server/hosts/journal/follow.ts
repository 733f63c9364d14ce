import type { JournalEnd, LogLine } from '../../../contract/host-journal.ts'
import { JOURNAL_LIMITS } from '../../../contract/journal-values.ts'
import { MachineUnreachable, type Machine } from '../../modules/machines.ts'
import { BEFORE, type LogFilter, sourceOf } from './journal-source.ts'
import { fileLine, journalLine, LineCutter } from './log-lines.ts'

const EVERY_MS = 500
const AT_ONCE = (JOURNAL_LIMITS.lines_per_second * EVERY_MS) / 1000
/** Of the lines of one event; an event has 8 KiB at most. */
const EVENT_BYTES = 7000
/** Events told at once. */
const EVENTS = 4
/** Without lines, so that a page knows that it is still followed. */
const SIGN_OF_LIFE_MS = 15_000

export interface Told {
  readonly path: string | null
  readonly left_out: number
  readonly lines: readonly LogLine[]
}

export interface FollowOptions {
  readonly machine: Machine
  readonly filter: LogFilter
  /** Stores lines for the page; the next ones wait for it. */
  readonly tell: (told: Told) => Promise<void>
}

/** Why it has ended: as the abort's reason of a follower's signal. */
export class FollowEnd extends Error {
  readonly reason: JournalEnd
  constructor(reason: JournalEnd) {
    super(reason)
    this.reason = reason
  }
}

/** Follows the log of a machine until `signal` aborts (its reason is a FollowEnd) or it ends by itself. Never rejects. */
export async function follow(
  { machine, filter, tell }: FollowOptions,
  signal: AbortSignal,
): Promise<{ reason: JournalEnd; text: string }> {
  const ends = new AbortController()
  const either = AbortSignal.any([signal, ends.signal])
  const reasonOf = (): JournalEnd => (either.reason instanceof FollowEnd ? either.reason.reason : 'stopped')
  let timer: NodeJS.Timeout | null = null
  let telling = Promise.resolve()
  try {
    const source = await sourceOf(machine, filter, either)
    if (source === null) return { reason: 'missing', text: '' }
    const { path, argv } = source
    const queue = new LineQueue(filter.contains)
    let told_at = -Infinity
    const flush = async (): Promise<void> => {
      for (const part of queue.take(performance.now() - told_at >= SIGN_OF_LIFE_MS)) {
        told_at = performance.now()
        await tell({ path, ...part })
      }
    }
    let busy = false
    const tick = (): void => {
      if (busy) return
      busy = true
      telling = flush()
        .catch((error: unknown) => ends.abort(error))
        .finally(() => (busy = false))
    }
    timer = setInterval(tick, EVERY_MS)
    const cutter = new LineCutter()
    let characters = 0
    const onOutput = (text: string): void => {
      characters += text.length
      if (characters > JOURNAL_LIMITS.mib * 2 ** 20) ends.abort(new FollowEnd('size'))
      for (const line of cutter.take(text)) queue.add(path === null ? journalLine(line) : fileLine(line))
    }
    const command = { argv, deadline_ms: JOURNAL_LIMITS.minutes * 60_000, max_bytes: 8192, onOutput }
    const outcome = await machine.run(command, either)
    clearInterval(timer)
    await telling
    await flush()
    if (either.aborted) return { reason: reasonOf(), text: '' }
    if (outcome.kind === 'lost') return { reason: 'lost', text: short(outcome.message) }
    if (outcome.kind === 'refused')
      return { reason: outcome.why === 'no_program' ? 'missing' : 'failed', text: short(outcome.detail) }
    return outcome.stopped === 'deadline'
      ? { reason: 'time', text: '' }
      : { reason: 'failed', text: short(outcome.stderr) }
  } catch (error) {
    if (either.aborted) return { reason: reasonOf(), text: '' }
    const text = short(error instanceof Error ? error.message : String(error))
    return { reason: error instanceof MachineUnreachable ? 'lost' : 'failed', text }
  } finally {
    if (timer !== null) clearInterval(timer)
  }
}

/** Lines that wait to be told: the newest, and how many before them are left out. */
class LineQueue {
  readonly #wanted: string | null
  #most = BEFORE
  #lines: LogLine[] = []
  #left_out = 0

  constructor(contains: string | undefined) {
    this.#wanted = contains?.toLowerCase() ?? null
  }

  add(line: LogLine | null): void {
    if (line === null) return
    if (this.#wanted !== null && !`${line.source} ${line.text}`.toLowerCase().includes(this.#wanted)) return
    this.#lines.push(line)
    if (this.#lines.length > this.#most) this.#drop(1)
  }

  /** What is told now, in as many events as it takes. @param anyway a sign of life, even without lines */
  take(anyway: boolean): Omit<Told, 'path'>[] {
    const parts: LogLine[][] = [[]]
    let bytes = 0
    for (const [at, line] of this.#lines.toReversed().entries()) {
      const size = Buffer.byteLength(JSON.stringify(line)) + 1
      if (bytes + size > EVENT_BYTES) {
        if (parts.length === EVENTS) {
          this.#drop(this.#lines.length - at)
          break
        }
        parts.push([])
        bytes = 0
      }
      parts.at(-1)!.push(line)
      bytes += size
    }
    if (this.#lines.length > 0) this.#most = AT_ONCE
    else if (!anyway) return []
    const told = parts.reverse().map((lines, at) => ({
      left_out: at === 0 ? this.#left_out : 0,
      lines: lines.reverse(),
    }))
    this.#lines = []
    this.#left_out = 0
    return told
  }

  #drop(count: number): void {
    this.#lines.splice(0, count)
    this.#left_out += count
  }
}

function short(text: string): string {
  return text
    .replaceAll(/[^\P{Cc}\n]/gu, ' ')
    .trim()
    .slice(0, 500)
}
