import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockFile } from './file-lock.ts'

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

  /** Those that have worked on this data folder and certainly have ended. */
  ended(process_ids: readonly string[]): string[] {
    return process_ids.filter((process_id) => {
      const file = this.#file(process_id)
      if (!existsSync(file)) return false
      try {
        const lock = lockFile(file)
        if (lock === null) return false
        rmSync(file, { force: true })
        lock[Symbol.dispose]()
        return true
      } catch {
        return false
      }
    })
  }

  #file(process_id: string): string {
    return join(this.#folder, `${process_id}.lock`)
  }

  [Symbol.dispose](): void {
    if (this.#own === null) return
    rmSync(this.#own.file, { force: true })
    this.#own.lock[Symbol.dispose]()
    this.#own = null
  }
}
