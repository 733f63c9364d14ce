import type { Log } from '../../kernel/log.ts'
import { diskUse } from './disk-use.ts'
import { readMemory, readProcessTable, type ProcessRow } from './process-table.ts'

const TICK_MS = 1000
const DISK_TICK_MS = 30_000

/** What the watchdog has to know of a module. */
export interface Watched {
  readonly memory_bytes: number
  readonly processes: number
  readonly disk_bytes: number
  /** Folders that count against `disk_bytes`. */
  readonly folders: readonly string[]
  members(table: ReadonlyMap<number, ProcessRow>): readonly ProcessRow[]
  /** What was measured. */
  measured(rss: number, processes: number): void
  /** It went over a limit. */
  stop(reason: string): void
}

/** Measures all modules once a second with one look at the processes of the machine, and stops those over their limits. */
export class Watchdog {
  readonly #log: Pick<Log, 'warn'>
  readonly #watched = new Map<Watched, { nextDisk: number }>()
  #timer: NodeJS.Timeout | null = null

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  /** Watches until the returned function is called. */
  watch(watched: Watched): () => void {
    this.#watched.set(watched, { nextDisk: 0 })
    this.#timer ??= setInterval(() => this.look(), TICK_MS).unref()
    return () => {
      this.#watched.delete(watched)
      if (this.#watched.size === 0) this.stop()
    }
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Measures now. */
  look(): void {
    const table = readProcessTable()
    for (const [watched, state] of this.#watched) {
      const members = watched.members(table)
      const rss = members.reduce((sum, row) => sum + readMemory(row.pid), 0)
      watched.measured(rss, members.length)
      if (rss > watched.memory_bytes) watched.stop(`It used more than ${mebibytes(watched.memory_bytes)} of memory.`)
      else if (members.length > watched.processes) watched.stop(`It had more than ${watched.processes} processes.`)
      else if (performance.now() >= state.nextDisk) {
        // Not again before this one is through.
        state.nextDisk = Infinity
        void this.#lookAtDisk(watched, state)
      }
    }
  }

  async #lookAtDisk(watched: Watched, state: { nextDisk: number }): Promise<void> {
    try {
      let bytes = 0
      for (const folder of watched.folders) bytes += await diskUse(folder, watched.disk_bytes)
      if (bytes === Infinity) watched.stop('It keeps more files in its folder than can be counted.')
      else if (bytes > watched.disk_bytes) watched.stop(`It keeps more than ${mebibytes(watched.disk_bytes)} of files.`)
    } catch (error) {
      this.#log.warn({ err: error }, 'the files of a module cannot be measured')
    } finally {
      state.nextDisk = performance.now() + DISK_TICK_MS
    }
  }
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MiB`
}
