import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Time limit for one batch of lines; an expression that takes longer is backtracking endlessly. */
const BATCH_MS = 2000

export interface MatcherOptions {
  readonly pattern: string
  readonly regex: boolean
  readonly ignore_case: boolean
}
export interface MatcherBatch {
  readonly lines: readonly string[]
  /** How many matching lines are still wanted. */
  readonly limit: number
}
export interface LineMatch {
  /** Index in the batch. */
  readonly line: number
  /** UTF-16 units: where the first match begins and how long it is. */
  readonly at: number
  readonly length: number
}

/**
 * Finds lines by text or regular expression in a separate thread, because an expression can be made to run forever, and
 * then only that thread is lost.
 */
export class LineMatcher implements AsyncDisposable {
  readonly #worker: Worker
  readonly #online: Promise<unknown>

  /** @throws {Error} with a sentence, when the expression is invalid */
  constructor(options: MatcherOptions) {
    if (options.regex) {
      try {
        void new RegExp(options.pattern, options.ignore_case ? 'iu' : 'u')
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        throw new Error(`The pattern is no regular expression: ${why}.`, { cause: error })
      }
    }
    this.#worker = new Worker(new URL('./line-worker.ts', import.meta.url), {
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    })
    // Between batches there is no other listener, and an unhandled error would end the process.
    this.#worker.on('error', () => undefined)
    this.#online = once(this.#worker, 'online').catch(() => undefined)
  }

  /** Rejects with a sentence when it takes too long, and with the signal's reason when it is aborted. */
  async match(batch: MatcherBatch, signal: AbortSignal): Promise<LineMatch[]> {
    await this.#online
    return await new Promise((resolve, reject) => {
      const worker = this.#worker
      const done = (finish: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        worker.off('message', onMessage)
        worker.off('error', onError)
        finish()
      }
      const onAbort = () => done(() => reject(signal.reason as Error))
      const onMessage = (matches: LineMatch[]) => done(() => resolve(matches))
      const onError = (error: unknown) =>
        done(() => reject(new Error(`The search broke: ${error instanceof Error ? error.message : String(error)}`)))
      const timer = setTimeout(() => {
        const text = `The expression takes more than ${BATCH_MS / 1000} s on a part of a file. Make it simpler: no repetition inside a repetition.`
        done(() => reject(new Error(text)))
      }, BATCH_MS)
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      worker.on('message', onMessage)
      worker.on('error', onError)
      worker.postMessage(batch)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }
}
