import type { FileEntry } from '../../contract/files.ts'
import { uploadFile } from './upload-file.ts'

/** A file being uploaded, or one whose upload failed. */
export interface Upload {
  readonly id: number
  readonly name: string
  /** 0 to 1; null while it is queued. */
  readonly share: number | null
  readonly error: unknown
}

interface Job {
  readonly file: File
  onArrived(entry: FileEntry): void
}

/** Browsers open six connections to a server: uploads leave some for everything else. */
const AT_ONCE = 3

/** Uploads files, a few at a time and in order, and reports progress to subscribers. */
export class UploadQueue {
  readonly #jobs = new Map<number, Job>()
  readonly #running = new Map<number, AbortController>()
  readonly #listeners = new Set<() => void>()
  #waiting: readonly number[] = []
  #uploads: readonly Upload[] = []
  #nextId = 1
  /** Called for failures while there are no subscribers. */
  readonly #onUnseen: (name: string, error: unknown) => void

  constructor(onUnseen: (name: string, error: unknown) => void) {
    this.#onUnseen = onUnseen
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The same list object until something changes. */
  readonly uploads = (): readonly Upload[] => this.#uploads

  add(files: readonly File[], onArrived: (entry: FileEntry) => void): void {
    const added = files.map((file) => {
      const id = this.#nextId++
      this.#jobs.set(id, { file, onArrived })
      return { id, name: file.name, share: null, error: null }
    })
    this.#waiting = [...this.#waiting, ...added.map(({ id }) => id)]
    this.#change([...this.#uploads, ...added])
    this.#next()
  }

  /** Stops an upload, or removes a failed one. */
  readonly remove = (id: number): void => {
    this.#jobs.delete(id)
    this.#running.get(id)?.abort()
    this.#change(this.#uploads.filter((upload) => upload.id !== id))
  }

  readonly retry = (id: number): void => {
    this.#patch(id, { share: null, error: null })
    this.#waiting = [...this.#waiting, id]
    this.#next()
  }

  /** Resolves when no upload is in progress: true when all have arrived, false as soon as one is refused. */
  readonly arrived = (): Promise<boolean> =>
    new Promise((resolve) => {
      const look = (): void => {
        const refused = this.#uploads.some(({ error }) => error !== null)
        if (!refused && this.#uploads.length > 0) return
        this.#listeners.delete(look)
        resolve(!refused)
      }
      this.#listeners.add(look)
      look()
    })

  #next(): void {
    while (this.#running.size < AT_ONCE) {
      const [id, ...others] = this.#waiting
      if (id === undefined) return
      this.#waiting = others
      const job = this.#jobs.get(id)
      if (job !== undefined) void this.#send(id, job)
    }
  }

  async #send(id: number, { file, onArrived }: Job): Promise<void> {
    const abort = new AbortController()
    this.#running.set(id, abort)
    this.#patch(id, { share: 0 })
    try {
      const entry = await uploadFile(file, (share) => this.#patch(id, { share }), abort.signal)
      this.remove(id)
      onArrived(entry)
    } catch (error) {
      if (abort.signal.aborted) return
      this.#patch(id, { error })
      if (this.#listeners.size === 0) this.#onUnseen(file.name, error)
    } finally {
      this.#running.delete(id)
      this.#next()
    }
  }

  #patch(id: number, change: Partial<Upload>): void {
    this.#change(this.#uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)))
  }

  #change(uploads: readonly Upload[]): void {
    this.#uploads = uploads
    for (const listener of this.#listeners) listener()
  }
}
