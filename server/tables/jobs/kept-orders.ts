import { createHash } from 'node:crypto'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { say } from '../../kernel/sentence.ts'
import { TableError } from '../shape/table-error.ts'
import type { StoredSheet } from '../shape/table-job.ts'
import type { TableCache } from './table-cache.ts'
import type { SheetView } from '../shape/sheet-view.ts'
import type { WorkerPool } from './worker-pool.ts'

/**
 * Rows of a sheet, and the first row of a page, from which an order is worth keeping. Below that, sorting again is just
 * as quick.
 */
const ROWS = 100_000
const DEEP = 5000
/** Orders kept beside one cached form; the oldest go first. */
const KEPT = 8
const PREFIX = 'order-'

export interface SortedView {
  readonly sheet: StoredSheet
  readonly view: SheetView
  readonly language: string | undefined
  /** The first row of the page. */
  readonly offset: number
}

interface Making {
  readonly path: Promise<string>
  readonly stop: AbortController
  waiting: number
}

/**
 * Orders of sorted views of large sheets, kept beside the cached form: a view is sorted once, when a user first pages
 * deep into it. The first pages need none: the engine finds the first rows without sorting everything.
 */
export class KeptOrders {
  readonly #cache: TableCache
  readonly #pool: WorkerPool
  readonly #ms: number
  readonly #making = new Map<string, Making>()

  constructor({ cache, pool, ms }: { cache: TableCache; pool: WorkerPool; ms: number }) {
    this.#cache = cache
    this.#pool = pool
    this.#ms = ms
  }

  /** The file with the order of a view; undefined when none is worth keeping. @throws {TableError} bad_view, timeout */
  async of(sorted: SortedView, owner: string, signal: AbortSignal): Promise<string | undefined> {
    const { sheet, view, language, offset } = sorted
    if ((view.sort ?? []).length === 0 || sheet.rows < ROWS || offset < DEEP) return undefined
    // Which columns are shown doesn't affect the order.
    const { columns: _, ...asked } = view
    const name = createHash('sha256')
      .update(JSON.stringify([sheet.index, asked, language]))
      .digest('hex')
      .slice(0, 32)
    const path = join(dirname(sheet.file), `${PREFIX}${name}`)
    if (await isThere(path)) return path
    if (signal.aborted) throw new TableError('cancelled', say`It was stopped.`)
    const making = this.#making.get(path) ?? this.#make(path, sorted, owner)
    making.waiting++
    const leave = (): void => {
      if (--making.waiting > 0) return
      this.#making.delete(path)
      making.stop.abort()
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await making.path
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Aborts when nobody waits for it any more. */
  #make(path: string, { sheet, view, language }: SortedView, owner: string): Making {
    const stop = new AbortController()
    const work = async (): Promise<string> => {
      await using scratch = await this.#cache.scratch()
      const out = join(scratch.path, 'order')
      const job = { kind: 'order', sheet, view, language, out, scratch: scratch.path } as const
      await this.#pool.run(job, { owner, ms: this.#ms, signal: stop.signal })
      await dropOldest(dirname(path))
      await rename(out, path)
      return path
    }
    const making: Making = { path: work(), stop, waiting: 0 }
    this.#making.set(path, making)
    const forget = (): void => {
      if (this.#making.get(path) === making) this.#making.delete(path)
    }
    making.path.then(forget, forget)
    return making
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function dropOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(PREFIX))
  if (names.length < KEPT) return
  const made = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })))
  made.sort((a, b) => a.at - b.at)
  for (const { name } of made.slice(0, names.length - KEPT + 1)) await rm(join(folder, name), { force: true })
}
