import { lstat, opendir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Storage } from '../../contract/dashboard.ts'
import type { Database } from '../db/database.ts'
import { databaseSize } from '../db/database-size.ts'
import { iso } from '../kernel/time.ts'

const FRESH = 60_000

/**
 * How much space everything takes. Measuring may take a while, so callers get the last measurement, and a new one
 * starts in the background when that is older than a minute.
 */
export class StorageMeter {
  readonly #db: Database
  readonly #folder: string
  readonly #background: (work: (signal: AbortSignal) => Promise<void>) => void
  #last: Storage | null = null
  /** On the monotonic clock. */
  #measuredAt = -Infinity
  #measuring = false

  constructor(db: Database, folder: string, background: (work: (signal: AbortSignal) => Promise<void>) => void) {
    this.#db = db
    this.#folder = folder
    this.#background = background
  }

  /** Null until the first measurement. */
  get last(): Storage | null {
    if (!this.#measuring && performance.now() - this.#measuredAt > FRESH) {
      this.#measuring = true
      this.#background((signal) =>
        this.#measure(signal).finally(() => {
          this.#measuring = false
          this.#measuredAt = performance.now()
        }),
      )
    }
    return this.#last
  }

  async #measure(signal: AbortSignal): Promise<void> {
    const folder = (name: string) => folderSize(join(this.#folder, name), signal)
    const files = await this.#db.read
      .selectFrom('file')
      .select(sql<number>`cast(coalesce(sum(size), 0) as bigint)`.as('bytes'))
      .executeTakeFirstOrThrow()
    const disk = await statfs(this.#folder)
    this.#last = {
      database: await databaseSize(this.#db),
      files: Number(files.bytes),
      modules: await folder('modules'),
      caches: await folder('tables-cache'),
      backups: await folder('backups'),
      disk_free: disk.bavail * disk.bsize,
      disk_total: disk.blocks * disk.bsize,
      measured_at: iso(Date.now()),
    }
  }
}

/** Total bytes of all files below a folder; files that vanish meanwhile do not count. */
async function folderSize(path: string, signal: AbortSignal): Promise<number> {
  let bytes = 0
  const waiting = [path]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted()
    const entries = await opendir(folder).catch(() => null)
    if (entries === null) continue
    for await (const entry of entries) {
      const inside = join(folder, entry.name)
      if (entry.isDirectory()) waiting.push(inside)
      else bytes += (await lstat(inside).catch(() => null))?.size ?? 0
    }
  }
  return bytes
}
