import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { readingTime } from '../draft/allowance.ts'
import { formOf, formsOf, keyOfForm } from '../shape/table-form.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'
import { DATA_FILE } from '../shape/table-job.ts'
import type { PreparedFile } from '../shape/table-shape.ts'
import type { TableSource } from '../shape/table-source.ts'
import { tooManyTables, type JobLimits, type WorkerPool } from './worker-pool.ts'

export interface CacheOptions {
  readonly folder: string
  /** Bytes of all cached forms together; the least recently used ones go first. */
  readonly size: number
  /** Large files are read in a pool of their own: small ones never queue behind them. */
  readonly large: WorkerPool
  readonly small: WorkerPool
  /** Milliseconds for the largest file; small ones get less. */
  readonly prepare_ms: number
  /** Milliseconds that a caller waits for the work to begin. */
  readonly wait_ms: number
}

export interface CachedFile {
  /** The engine's file. */
  readonly data: string
  readonly file: PreparedFile
}

const SHEETS_FILE = 'sheets.json'
const WORK = 'work-'
/** A folder beside the cached forms for the workers' compiled programs. */
export const PROGRAMS = 'programs'
const LEFTOVER_MS = 60 * 60_000
const TOUCH_MS = 60_000
/** Bytes; smaller files are read immediately. */
export const SMALL = 1024 * 1024

interface Preparing {
  readonly result: Promise<CachedFile>
  readonly stop: AbortController
  begun: boolean
  waiting: number
}

/**
 * The cached forms of files: made once, by the first caller, and kept until the space is needed. All of it can be
 * deleted at any time.
 */
export class TableCache {
  readonly #options: CacheOptions
  readonly #preparing = new Map<string, Preparing>()
  readonly #known = new Map<string, { readonly file: PreparedFile; touched: number }>()
  #swept = false

  constructor(options: CacheOptions) {
    this.#options = options
  }

  /**
   * The cached form, made now if there is none. Stops making it when nobody waits any more. A caller that isn't
   * `patient` is told after a while that other tables are being read. @throws {TableError}
   */
  async get(source: TableSource, signal: AbortSignal, patient = false): Promise<CachedFile> {
    const name = formOf(source)
    const found = await this.#find(name)
    if (found !== null) return found
    let preparing = this.#preparing.get(name)
    if (preparing === undefined) {
      const stop = new AbortController()
      const onBegin = (): void => {
        mine.begun = true
      }
      const mine: Preparing = {
        result: this.#prepare(name, source, { signal: stop.signal, onBegin }),
        stop,
        begun: false,
        waiting: 0,
      }
      preparing = mine
      this.#preparing.set(name, preparing)
      const forget = (): void => {
        if (this.#preparing.get(name) === mine) this.#preparing.delete(name)
      }
      preparing.result.then(forget, forget)
    }
    const { stop } = preparing
    const wait_ms = patient ? undefined : this.#options.wait_ms
    return waitFor(preparing, { signal, wait_ms }, () => {
      // Later callers start over.
      this.#preparing.delete(name)
      stop.abort()
    })
  }

  /** Whether there is a cached form. */
  async has(source: TableSource): Promise<boolean> {
    return (await this.#find(formOf(source))) !== null
  }

  /** Removes the cached forms of these bytes: they are damaged, or the file was deleted. */
  async forget(key: string): Promise<void> {
    const { folder } = this.#options
    const start = `${formsOf(key)}.`
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.startsWith(start)) continue
      this.#known.delete(name)
      await rm(join(folder, name), { recursive: true, force: true })
    }
  }

  /** Ids of the bytes of which there are cached forms. */
  async keys(): Promise<string[]> {
    const names = await readdir(this.#options.folder).catch(() => [])
    return [...new Set(names.map(keyOfForm).filter((key) => key !== null))]
  }

  /** Removes every cached form that isn't being made. */
  async empty(): Promise<void> {
    const { folder } = this.#options
    for (const name of await readdir(folder).catch(() => [])) {
      if (name.startsWith(WORK) || name === PROGRAMS) continue
      this.#known.delete(name)
      await rm(join(folder, name), { recursive: true, force: true })
    }
  }

  /** An empty folder of its own for one job. */
  async scratch(): Promise<{ path: string } & AsyncDisposable> {
    await this.#sweep()
    const path = join(this.#options.folder, `${WORK}${randomUUID()}`)
    await mkdir(path, { recursive: true, mode: 0o700 })
    return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
  }

  async #find(name: string): Promise<CachedFile | null> {
    const folder = join(this.#options.folder, name)
    const data = join(folder, DATA_FILE)
    const now = Date.now()
    const known = this.#known.get(name)
    if (known !== undefined && now - known.touched < TOUCH_MS) return { data, file: known.file }
    try {
      const file = JSON.parse(await readFile(join(folder, SHEETS_FILE), 'utf8')) as PreparedFile
      await stat(data)
      await utimes(folder, now / 1000, now / 1000)
      this.#known.set(name, { file, touched: now })
      return { data, file }
    } catch {
      this.#known.delete(name)
      return null
    }
  }

  async #prepare(
    name: string,
    source: TableSource,
    { signal, onBegin }: Pick<JobLimits, 'signal' | 'onBegin'>,
  ): Promise<CachedFile> {
    const { folder, large, small, prepare_ms } = this.#options
    const light = source.size <= SMALL
    await using scratch = await this.scratch()
    const out = join(scratch.path, 'out')
    await mkdir(out)
    const path = source.path ?? (await fetchBytes(source, join(scratch.path, 'source'), signal))
    const { name: label, reading = {} } = source
    const job = { kind: 'prepare', path, name: label, reading, out, scratch: scratch.path } as const
    const ms = readingTime(source.size, prepare_ms)
    const file = await (light ? small : large).run(job, { owner: source.owner, light, ms, signal, onBegin })
    await writeFile(join(out, SHEETS_FILE), JSON.stringify(file))
    await rm(join(folder, name), { recursive: true, force: true })
    await rename(out, join(folder, name))
    this.#known.set(name, { file, touched: Date.now() })
    await this.#shrink(name)
    return { data: join(folder, name, DATA_FILE), file }
  }

  /** Removes the least recently used forms, except `keep`, until the rest fits. */
  async #shrink(keep: string): Promise<void> {
    const { folder, size } = this.#options
    const forms: { name: string; bytes: number; used: number }[] = []
    for (const name of await readdir(folder)) {
      if (name.startsWith(WORK) || name === PROGRAMS) continue
      const bytes = await folderBytes(join(folder, name))
      const used = await stat(join(folder, name)).then(
        (file) => file.mtimeMs,
        () => 0,
      )
      forms.push({ name, bytes, used })
    }
    let total = forms.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { name, bytes } of forms.sort((a, b) => a.used - b.used)) {
      if (total <= size) return
      if (name === keep) continue
      this.#known.delete(name)
      await rm(join(folder, name), { recursive: true, force: true })
      total -= bytes
    }
  }

  /** Removes, once, what a killed process left behind. */
  async #sweep(): Promise<void> {
    if (this.#swept) return
    this.#swept = true
    const { folder } = this.#options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(folder)) {
      if (!name.startsWith(WORK)) continue
      const made = await stat(join(folder, name)).then(
        (each) => each.mtimeMs,
        () => 0,
      )
      if (made < Date.now() - LEFTOVER_MS) await rm(join(folder, name), { recursive: true, force: true })
    }
  }
}

/** The size of the form and of the orders kept beside it. */
async function folderBytes(folder: string): Promise<number> {
  let total = 0
  for (const name of await readdir(folder).catch(() => []))
    total += await stat(join(folder, name)).then(
      (file) => file.size,
      () => 0,
    )
  return total
}

export async function fetchBytes(source: TableSource, path: string, signal: AbortSignal): Promise<string> {
  try {
    await pipeline(source.read(), createWriteStream(path, { mode: 0o600 }), { signal })
  } catch (error) {
    if (signal.aborted) throw new TableError('cancelled', say`It was stopped.`)
    throw Object.assign(
      new TableError('failed', say`The content of "${source.name}" cannot be read from the storage.`),
      {
        cause: error,
      },
    )
  }
  return path
}

async function waitFor(
  preparing: Preparing,
  { signal, wait_ms }: { signal: AbortSignal; wait_ms: number | undefined },
  onLast: () => void,
): Promise<CachedFile> {
  preparing.waiting++
  let onAbort: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  let late = false
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new TableError('cancelled', say`It was stopped.`))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    if (wait_ms === undefined) return
    timer = setTimeout(() => {
      late = !preparing.begun
      if (late) reject(tooManyTables())
    }, wait_ms)
  })
  try {
    return await Promise.race([preparing.result, aborted])
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort)
    clearTimeout(timer)
    if (--preparing.waiting === 0 && (signal.aborted || late)) onLast()
  }
}
