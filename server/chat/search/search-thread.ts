import { Worker } from 'node:worker_threads'
import type { Search } from './candidate.ts'
import type { FoundPage } from './find-conversations.ts'

/** What the thread is asked, and how it answers. */
export interface SearchQuestion {
  readonly id: number
  readonly search: Search
}
export type SearchAnswer =
  | { readonly id: number; readonly page: FoundPage }
  | { readonly id: number; readonly message: string; readonly stack: string | undefined }

interface Waiting {
  resolve(page: FoundPage): void
  reject(error: Error): void
}

/** A thread that searches the embedded database. Started by the first search, and again after a crash. */
export class SearchThread implements AsyncDisposable {
  readonly #file: string
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #last = 0

  constructor(file: string) {
    this.#file = file
  }

  /** @throws what the search failed with. */
  find(search: Search): Promise<FoundPage> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#start().postMessage({ id, search } satisfies SearchQuestion)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker
    this.#stop(new Error('The service is stopping.'))
    await worker?.terminate()
  }

  #start(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./search-worker.ts', import.meta.url), { workerData: this.#file })
    // It must not keep an otherwise idle process alive.
    worker.unref()
    worker.on('message', (answer: SearchAnswer) => this.#answer(answer))
    const ended = (error: Error): void => {
      if (this.#worker === worker) this.#stop(error)
    }
    worker.on('error', ended)
    worker.on('exit', () => ended(new Error('The search thread has ended.')))
    return (this.#worker = worker)
  }

  #answer(answer: SearchAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('page' in answer) waiting?.resolve(answer.page)
    else waiting?.reject(Object.assign(new Error(answer.message), { stack: answer.stack }))
  }

  #stop(error: Error): void {
    this.#worker = null
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
}
