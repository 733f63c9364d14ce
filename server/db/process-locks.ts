import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockFile } from './file-lock.ts'

const ENDING = '.lock'

/**
 * Locked files in the data folder, one for each process that works on it: the only proof that another process has ended
 * that needs no waiting. A name, a number of a process or a clock may lie, in another container or on another machine; the
 * operating system gives away such a lock only when its process is gone.
 */
export class ProcessLocks implements Disposable {
  readonly #folder: string
  #own: { readonly file: string; readonly lock: Disposable } | null = null

  /** @param folder the data folder */
  constructor(folder: string) {
    this.#folder = join(folder, 'processes')
  }

  /** Locks the file of this process for as long as it lives. Without one (no locks there), the others wait for the time. */
  take(process_id: string): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      const file = this.#file(process_id)
      const lock = lockFile(file)
      this.#own = lock && { file, lock }
    } catch {
      rmSync(this.#file(process_id), { force: true })
    }
  }

  /** Whether the process has worked on this data folder and certainly has ended. */
  hasEnded(process_id: string): boolean {
    try {
      if (!existsSync(this.#file(process_id))) return false
      const lock = lockFile(this.#file(process_id))
      lock?.[Symbol.dispose]()
      return lock !== null
    } catch {
      return false
    }
  }

  /** Removes the files of all that have ended, and returns their ids. */
  clear(): string[] {
    if (!existsSync(this.#folder)) return []
    const ended = readdirSync(this.#folder)
      .filter((name) => name.endsWith(ENDING))
      .map((name) => name.slice(0, -ENDING.length))
      .filter((process_id) => this.hasEnded(process_id))
    for (const process_id of ended) rmSync(this.#file(process_id), { force: true })
    return ended
  }

  #file(process_id: string): string {
    return join(this.#folder, `${process_id}${ENDING}`)
  }

  [Symbol.dispose](): void {
    if (this.#own === null) return
    rmSync(this.#own.file, { force: true })
    this.#own.lock[Symbol.dispose]()
    this.#own = null
  }
}
