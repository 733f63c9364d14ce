import { randomBytes } from 'node:crypto'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../db/database.ts'
import type { Log } from '../kernel/log.ts'
import { storageFailure } from '../kernel/storage-failure.ts'

/** Free bytes below which caches are dropped and writing is probed. */
const LITTLE = 64 * 1024 * 1024
/** As much as a small write needs, including its log. */
const PROBE = Buffer.alloc(256 * 1024)
const PROBE_SETTING = 'storage.probe'

export interface StorageWatchOptions {
  readonly db: Database
  readonly dataFolder: string
  readonly log: Log
  /** Removes what can be recreated. */
  readonly dropCaches: () => Promise<void>
}

/**
 * Whether there is room to store anything. A full disk is noticed by the write that fails; then caches are dropped, and
 * it counts as full until a write succeeds again. No restart is needed.
 */
export class StorageWatch {
  readonly #options: StorageWatchOptions
  #looking: Promise<void> | null = null
  #suspected = false
  #little = false
  #full = false
  #told = false

  constructor(options: StorageWatchOptions) {
    this.#options = options
  }

  get full(): boolean {
    return this.#full
  }

  /** Called when a write failed for lack of room. */
  suspect(): void {
    this.#suspected = true
    this.#full = true
    void this.look().catch(() => undefined)
  }

  /** Checks now; concurrent callers share the result. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = null))
    return this.#looking
  }

  async #look(): Promise<void> {
    const { dataFolder, dropCaches, log } = this.#options
    const { bavail, bsize } = await statfs(dataFolder)
    const little = bavail * bsize < LITTLE
    const first = little && !this.#little
    this.#little = little
    if (first) await dropCaches()
    if (!little && !this.#suspected) return
    this.#suspected = false
    let full = !(await this.#canWrite())
    if (full) {
      await dropCaches()
      full = !(await this.#canWrite())
    }
    if (full && !this.#told) log.error({ free: bavail * bsize }, 'the disk is full')
    if (!full && this.#told) log.info('there is room on the disk again')
    this.#full = full
    this.#told = full
    // Until a write succeeds, every check tries again.
    this.#suspected = full
  }

  async #canWrite(): Promise<boolean> {
    const { db, dataFolder } = this.#options
    const file = join(dataFolder, `.space-${randomBytes(6).toString('hex')}`)
    try {
      await using handle = await open(file, 'wx', 0o600)
      await handle.writeFile(PROBE)
      await handle.sync()
      await db.transaction((trx) =>
        trx
          .insertInto('setting')
          .values({ key: PROBE_SETTING, value: '{}', updated_at: Date.now() })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ updated_at: Date.now() }))
          .execute(),
      )
      return true
    } catch (error) {
      if (storageFailure(error) === 'full') return false
      throw error
    } finally {
      await rm(file, { force: true })
    }
  }
}
