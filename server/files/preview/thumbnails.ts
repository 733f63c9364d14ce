import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Machine } from '../../sandbox/machine.ts'
import { ThumbnailProcesses, type ThumbnailOutcome } from './thumbnail-processes.ts'

export interface ThumbnailsOptions {
  /** Where thumbnails are kept. Emptied at the start: whatever a crash left there is orphaned. */
  readonly folder: string
  /** Bytes of all thumbnails together; the least recently requested ones go first. Default 256 MiB. */
  readonly size?: number
  /** The most pixels that an image may have, default 100 million. */
  readonly pixels?: number
  /** Milliseconds that one thumbnail may take, default 10,000. */
  readonly job_ms?: number
  /** Isolates the process that makes them; null: no isolation. */
  readonly machine?: Machine | null
}

/** The source of an image's bytes: a file of this machine, or a stream that is first copied into one. */
export interface PictureSource {
  /** The owner: users with many images don't keep others waiting. */
  readonly owner: string
  readonly path: string | null
  /** Whether it is an SVG. */
  readonly drawing: boolean
  readonly stream: () => AsyncIterable<Uint8Array>
}

const MIB = 1024 * 1024
const NO_PICTURE = {
  unreadable: 'unreadable',
  too_large: 'too_large',
  crashed: 'unreadable',
  slow: 'too_large',
} as const
export type NoThumbnail = 'unreadable' | 'too_large'

/** Small versions (WebP) of stored images, made once by separate processes and kept while there is room. */
export class Thumbnails implements AsyncDisposable {
  readonly #options: Required<ThumbnailsOptions>
  readonly #process: ThumbnailProcesses
  /** `<id>/<width>` → bytes on disk, the most recently requested last. */
  readonly #kept = new Map<string, number>()
  readonly #making = new Map<string, Promise<Buffer | NoThumbnail>>()
  #bytes = 0

  private constructor(options: Required<ThumbnailsOptions>) {
    this.#options = options
    this.#process = new ThumbnailProcesses({ ...options, idle_ms: 30_000 })
  }

  static async open(options: ThumbnailsOptions): Promise<Thumbnails> {
    await rm(options.folder, { recursive: true, force: true })
    await mkdir(options.folder, { recursive: true, mode: 0o700 })
    return new Thumbnails({ size: 256 * MIB, pixels: 100_000_000, job_ms: 10_000, machine: null, ...options })
  }

  /** For tests. */
  get pid(): number | undefined {
    return this.#process.pid
  }

  /** The thumbnail of the image with this id, as WebP of at most `width` pixels. The caller has checked access. */
  async get(id: string, width: number, source: PictureSource): Promise<Buffer | NoThumbnail> {
    const key = `${id}/${width}`
    const kept = await this.#read(key)
    if (kept !== null) return kept
    const making = this.#making.get(key) ?? this.#make(key, width, source)
    this.#making.set(key, making)
    try {
      return await making
    } finally {
      if (this.#making.get(key) === making) this.#making.delete(key)
    }
  }

  /** The images of which there are thumbnails. */
  ids(): string[] {
    return [...new Set([...this.#kept.keys()].map((key) => key.slice(0, key.indexOf('/'))))]
  }

  /** The image is permanently deleted, and so are its thumbnails. */
  async forget(id: string): Promise<void> {
    for (const key of [...this.#kept.keys()].filter((each) => each.startsWith(`${id}/`))) await this.#drop(key)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }

  async #make(key: string, width: number, source: PictureSource): Promise<Buffer | NoThumbnail> {
    const { folder, pixels } = this.#options
    const copy = join(folder, `${randomUUID()}.part`)
    const output = join(folder, `${randomUUID()}.part`)
    try {
      if (source.path === null) await pipeline(source.stream(), createWriteStream(copy, { mode: 0o600 }))
      const job = { input: source.path ?? copy, drawing: source.drawing, output, width, pixels }
      let outcome: ThumbnailOutcome = await this.#process.make(source.owner, job)
      // The process may have ended because of another image.
      if (outcome === 'crashed') outcome = await this.#process.make(source.owner, job)
      if (outcome !== 'made') return NO_PICTURE[outcome]
      const bytes = await readFile(output)
      await rename(output, this.#pathOf(key))
      this.#kept.set(key, bytes.byteLength)
      this.#bytes += bytes.byteLength
      for (const [oldest] of this.#kept) {
        if (this.#bytes <= this.#options.size) break
        await this.#drop(oldest)
      }
      return bytes
    } finally {
      await rm(copy, { force: true })
      await rm(output, { force: true })
    }
  }

  async #read(key: string): Promise<Buffer | null> {
    const size = this.#kept.get(key)
    if (size === undefined) return null
    this.#kept.delete(key)
    this.#kept.set(key, size)
    try {
      return await readFile(this.#pathOf(key))
    } catch {
      // The folder was cleaned from outside: create it again.
      await this.#drop(key)
      return null
    }
  }

  /** Removes all of them; they are rebuilt when needed. */
  async empty(): Promise<void> {
    for (const key of this.#kept.keys()) await this.#drop(key)
  }

  async #drop(key: string): Promise<void> {
    this.#bytes -= this.#kept.get(key) ?? 0
    this.#kept.delete(key)
    await rm(this.#pathOf(key), { force: true })
  }

  #pathOf(key: string): string {
    return join(this.#options.folder, `${key.replace('/', '.')}.webp`)
  }
}
