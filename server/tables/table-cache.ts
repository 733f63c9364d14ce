import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { TableError } from './table-error.ts'
import { say } from '../kernel/sentence.ts'
import { DATA_FILE } from './table-job.ts'
import type { PreparedFile } from './table-shape.ts'
import type { TableSource } from './table-source.ts'
import type { WorkerPool } from './worker-pool.ts'

export interface CacheOptions {
  readonly folder: string
  /** Bytes of all cached forms together; what was not used for the longest time goes first. */
  readonly size: number
  readonly pool: WorkerPool
  /** Milliseconds that one file may take. */
  readonly prepare_ms: number
}

export interface CachedFile {
  /** The engine's file. */
  readonly data: string
  readonly file: PreparedFile
}

/** Changes whenever the cached form does: what an older version left is made anew. */
const FORM = 'duckdb-1.5/1'
const SHEETS_FILE = 'sheets.json'
const WORK = 'work-'
/** A folder beside the cached forms, for what workers keep of their programs. */
export const PROGRAMS = 'programs'
const LEFTOVER_MS = 60 * 60_000
const TOUCH_MS = 60_000

interface Preparing {
  readonly result: Promise<CachedFile>
  readonly stop: AbortController
  waiting: number
}

/** The cached forms of files: made once, by whoever asks first, and kept until the space is needed. All of it can be deleted at any time. */
export class TableCache {
  readonly #options: CacheOptions
  readonly #preparing = new Map<string, Preparing>()
  readonly #known = new Map<string, { readonly file: PreparedFile; touched: number }>()
  #swept = false

  constructor(options: CacheOptions) {
    this.#options = options
  }

  /** The cached form, made now where there is none. Stops making it when nobody waits any more. @throws {TableError} */
  async get(source: TableSource, signal: AbortSignal): Promise<CachedFile> {
    const name = folderName(source)
    const found = await this.#find(name)
    if (found !== null) return found
    let preparing = this.#preparing.get(name)
    if (preparing === undefined) {
      const stop = new AbortController()
      preparing = { result: this.#prepare(name, source, stop.signal), stop, waiting: 0 }
      this.#preparing.set(name, preparing)
      const mine = preparing
      const forget = (): void => {
        if (this.#preparing.get(name) === mine) this.#preparing.delete(name)
      }
      preparing.result.then(forget, forget)
    }
    const { stop } = preparing
    return waitFor(preparing, signal, () => {
      // Who asks from now on begins anew.
      this.#preparing.delete(name)
      stop.abort()
    })
  }

  /** Whether the cached form is there. */
  async has(source: TableSource): Promise<boolean> {
    return (await this.#find(folderName(source))) !== null
  }

  /** Removes the cached forms of these bytes: they are damaged, or the file is deleted. */
  async forget(key: string): Promise<void> {
    const { folder } = this.#options
    const start = keyHash(key)
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.startsWith(start)) continue
      this.#known.delete(name)
      await rm(join(folder, name), { recursive: true, force: true })
    }
  }

  /** An own empty folder for one job. */
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

  async #prepare(name: string, source: TableSource, signal: AbortSignal): Promise<CachedFile> {
    const { folder, pool, prepare_ms } = this.#options
    await using scratch = await this.scratch()
    const out = join(scratch.path, 'out')
    await mkdir(out)
    const path = source.path ?? (await fetchBytes(source, join(scratch.path, 'source'), signal))
    const job = { kind: 'prepare', path, name: source.name, out, scratch: scratch.path } as const
    const file = await pool.run(job, { ms: prepare_ms, signal })
    await writeFile(join(out, SHEETS_FILE), JSON.stringify(file))
    await rm(join(folder, name), { recursive: true, force: true })
    await rename(out, join(folder, name))
    this.#known.set(name, { file, touched: Date.now() })
    await this.#shrink(name)
    return { data: join(folder, name, DATA_FILE), file }
  }

  /** Removes the forms that were not used for the longest time, but not `keep`, until the rest fits. */
  async #shrink(keep: string): Promise<void> {
    const { folder, size } = this.#options
    const forms: { name: string; bytes: number; used: number }[] = []
    for (const name of await readdir(folder)) {
      if (name.startsWith(WORK) || name === PROGRAMS) continue
      const bytes = await stat(join(folder, name, DATA_FILE)).then(
        (file) => file.size,
        () => 0,
      )
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

  /** What a killed process left behind, once. */
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

/** The ending belongs to it: the same bytes under another name may be read in another way. */
function folderName({ key, name }: TableSource): string {
  const ending = /\.([a-z0-9]{1,10})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return `${keyHash(key)}.${ending}`
}

function keyHash(key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([FORM, key]))
    .digest('hex')
    .slice(0, 40)
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

async function waitFor(preparing: Preparing, signal: AbortSignal, onLast: () => void): Promise<CachedFile> {
  preparing.waiting++
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new TableError('cancelled', say`It was stopped.`))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([preparing.result, aborted])
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort)
    if (--preparing.waiting === 0 && signal.aborted) onLast()
  }
}
