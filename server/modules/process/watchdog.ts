import type { Log } from '../../kernel/log.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { diskUse } from './disk-use.ts'
import { readProcessTable, type ProcessRow } from './process-table.ts'

const MEMORY_TICK_MS = 1000
const DISK_TICK_MS = 2000
/**
 * At most one part in this many of the time between two disk measurements is spent measuring, since many small files
 * take long.
 */
const DISK_SHARE = 10
const MIB = 1024 * 1024

/** What the watchdog needs to know about a module. */
export interface Watched {
  readonly memory_bytes: number
  readonly processes: number
  readonly disk_bytes: number
  /** Folders that count against `disk_bytes`. */
  readonly folders: readonly string[]
  members(table: ReadonlyMap<number, ProcessRow>): readonly ProcessRow[]
  /** Bytes of memory that these processes hold together; may be too high as long as it is within the limit. */
  memory(pids: readonly number[]): Promise<number>
  /** Receives each measurement. */
  measured(memory: number, processes: number): void
  /** Called when it went over a limit. */
  stop(reason: Sentence): void
}

/**
 * Measures all modules once a second with a single scan of the machine's processes, and stops those over their limits.
 */
export class Watchdog {
  readonly #log: Pick<Log, 'warn'>
  readonly #watched = new Map<Watched, { nextDisk: number; looking: boolean }>()
  #timer: NodeJS.Timeout | null = null

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  /** Watches until the returned function is called. */
  watch(watched: Watched): () => void {
    this.#watched.set(watched, { nextDisk: 0, looking: false })
    this.#timer ??= setInterval(() => this.#look(), MEMORY_TICK_MS).unref()
    return () => {
      this.#watched.delete(watched)
      if (this.#watched.size === 0) this.stop()
    }
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #look(): void {
    const table = readProcessTable()
    for (const [watched, state] of this.#watched) {
      const members = watched.members(table)
      if (members.length > watched.processes) {
        watched.stop(say`It was stopped: it had ${members.length} processes, and the limit is ${watched.processes}.`)
        continue
      }
      // Not before the last measurement has finished.
      if (!state.looking) {
        state.looking = true
        void this.#lookAtMemory(watched, members).finally(() => (state.looking = false))
      }
      if (performance.now() >= state.nextDisk) {
        state.nextDisk = Infinity
        void this.#lookAtDisk(watched, state)
      }
    }
  }

  async #lookAtMemory(watched: Watched, members: readonly ProcessRow[]): Promise<void> {
    try {
      const memory = await watched.memory(members.map(({ pid }) => pid))
      if (!this.#watched.has(watched)) return
      watched.measured(memory, members.length)
      if (memory > watched.memory_bytes) watched.stop(memoryReason(watched.memory_bytes))
    } catch (error) {
      this.#log.warn({ err: error }, 'the memory of a module cannot be measured')
    }
  }

  async #lookAtDisk(watched: Watched, state: { nextDisk: number }): Promise<void> {
    const from = performance.now()
    try {
      let bytes = 0
      for (const folder of watched.folders) bytes += await diskUse(folder, watched.disk_bytes)
      if (!this.#watched.has(watched)) return
      if (bytes === Infinity) watched.stop(say`It was stopped: it keeps more files in its folder than can be counted.`)
      else if (bytes > watched.disk_bytes) watched.stop(diskReason(watched.disk_bytes))
    } catch (error) {
      this.#log.warn({ err: error }, 'the files of a module cannot be measured')
    } finally {
      const now = performance.now()
      state.nextDisk = now + Math.max(DISK_TICK_MS, (now - from) * DISK_SHARE)
    }
  }
}

/** Only the limit is told: what was measured is hardly more, and the two would often read the same. */
export function memoryReason(limit: number): Sentence {
  return say`It was stopped because it reached its memory limit of ${size(limit)}.`
}

function diskReason(limit: number): Sentence {
  return say`It was stopped because its files reached their limit of ${size(limit)}.`
}

function size(bytes: number): string {
  const gibibytes = bytes / MIB / 1024
  if (gibibytes < 1) return `${Math.ceil(bytes / MIB)} MiB`
  return `${Number.isInteger(gibibytes) ? gibibytes : Math.ceil(gibibytes * 100) / 100} GiB`
}
