import { join } from 'node:path'
import { Places } from '../../kernel/places.ts'
import type { Machine } from '../../sandbox/machine.ts'
import { isOver, layInto, Readers, takeOut, type Reader } from '../../sandbox/readers.ts'
import type { ThumbnailAnswer, ThumbnailJob } from './thumbnail-job.ts'

export interface ThumbnailProcessOptions {
  /** Isolated processes get a folder in here each. */
  readonly folder: string
  readonly machine: Machine | null
  /** Milliseconds that one thumbnail may take. */
  readonly job_ms: number
  /** Milliseconds after which a process without work ends. */
  readonly idle_ms: number
}

/** `crashed`: the process exited; `slow`: it exceeded its time and was stopped. */
export type ThumbnailOutcome = 'made' | 'unreadable' | 'too_large' | 'crashed' | 'slow'

const AT_ONCE = 2

/**
 * The processes that make thumbnails: one per owner at a time, started when there is work and ended when there is none.
 */
export class ThumbnailProcesses implements AsyncDisposable {
  readonly #options: ThumbnailProcessOptions
  readonly #places = new Places({ size: AT_ONCE, each: 1 })
  readonly #readers: Readers

  constructor(options: ThumbnailProcessOptions) {
    this.#options = options
    const { machine, folder, idle_ms } = options
    this.#readers = new Readers({
      program: {
        script: new URL('./thumbnail-worker.ts', import.meta.url),
        options: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=128'],
        serialization: 'json',
      },
      machine,
      folder,
      idle_ms,
      spare: AT_ONCE,
    })
  }

  /** Process id of the newest one if any, for tests. */
  get pid(): number | undefined {
    return this.#readers.pids().at(-1)
  }

  async make(owner: string, job: ThumbnailJob): Promise<ThumbnailOutcome> {
    const leave = await this.#places.take({ owner })
    if (typeof leave === 'string') return 'crashed'
    try {
      const reader = this.#readers.take(owner)
      const outcome = await this.#perform(reader, job).catch(() => 'crashed' as const)
      await this.#readers.release(reader, outcome === 'crashed' || outcome === 'slow' ? null : owner)
      return outcome
    } finally {
      leave()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#places.close()
    await this.#readers[Symbol.asyncDispose]()
  }

  async #perform(reader: Reader, job: ThumbnailJob): Promise<ThumbnailOutcome> {
    const { room } = reader
    if (room === null) return this.#ask(reader, job)
    const output = join(room.work, 'thumbnail')
    const outcome = await this.#ask(reader, { ...job, input: await layInto(room, job.input), output })
    if (outcome === 'made') await takeOut(output, job.output)
    return outcome
  }

  #ask({ child }: Reader, job: ThumbnailJob): Promise<ThumbnailOutcome> {
    if (isOver(child)) return Promise.resolve('crashed')
    return new Promise((resolve) => {
      const settle = (outcome: ThumbnailOutcome): void => {
        clearTimeout(deadline)
        child.removeListener('exit', onExit)
        child.removeListener('message', onAnswer)
        resolve(outcome)
      }
      const onExit = (): void => settle('crashed')
      const onAnswer = (answer: ThumbnailAnswer): void =>
        settle(answer.ok ? 'made' : answer.too_large ? 'too_large' : 'unreadable')
      const deadline = setTimeout(settle, this.#options.job_ms, 'slow')
      child.once('exit', onExit)
      child.once('message', onAnswer)
      child.send(job, (error) => {
        if (error !== null) settle('crashed')
      })
    })
  }
}
