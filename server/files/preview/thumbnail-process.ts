import { fork, type ChildProcess } from 'node:child_process'
import type { ThumbnailAnswer, ThumbnailJob } from './thumbnail-job.ts'

export interface ThumbnailProcessOptions {
  /** Milliseconds that one thumbnail may take. */
  readonly job_ms: number
  /** Milliseconds after which a process without work ends. */
  readonly idle_ms: number
}

/** `crashed`: the process ended; `slow`: it was stopped after its time. */
export type ThumbnailOutcome = 'made' | 'unreadable' | 'too_large' | 'crashed' | 'slow'

/** The process that makes thumbnails, one after another; started when there is work and ended when there is none. */
export class ThumbnailProcess implements AsyncDisposable {
  readonly #options: ThumbnailProcessOptions
  #child: ChildProcess | null = null
  #last: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ThumbnailProcessOptions) {
    this.#options = options
  }

  /** Process id while there is one, for tests. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  make(job: ThumbnailJob): Promise<ThumbnailOutcome> {
    const made = this.#last.then(() => this.#perform(job))
    this.#last = made
    return made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idle)
    const child = this.#child
    if (child === null) return
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
      if (!child.kill('SIGKILL')) resolve()
    })
  }

  #perform(job: ThumbnailJob): Promise<ThumbnailOutcome> {
    if (this.#closed) return Promise.resolve('crashed')
    clearTimeout(this.#idle)
    const child = this.#child ?? this.#start()
    return new Promise((resolve) => {
      const settle = (outcome: ThumbnailOutcome): void => {
        clearTimeout(deadline)
        child.removeListener('exit', onExit)
        child.removeListener('message', onAnswer)
        resolve(outcome)
        this.#idle = setTimeout(() => this.#end(child), this.#options.idle_ms).unref()
      }
      const onExit = (): void => settle('crashed')
      const onAnswer = (answer: ThumbnailAnswer): void =>
        settle(answer.ok ? 'made' : answer.too_large ? 'too_large' : 'unreadable')
      const deadline = setTimeout(() => {
        this.#end(child)
        settle('slow')
      }, this.#options.job_ms)
      child.once('exit', onExit)
      child.once('message', onAnswer)
      child.send(job, (error) => {
        if (error === null) return
        this.#end(child)
        settle('crashed')
      })
    })
  }

  #start(): ChildProcess {
    const child = fork(new URL('./thumbnail-worker.ts', import.meta.url), [], {
      // Nothing of ours: no settings, no secrets.
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=128'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.once('exit', () => this.#forget(child))
    // A process that cannot be started emits this instead of `exit`.
    child.on('error', () => child.emit('exit'))
    this.#child = child
    return child
  }

  #end(child: ChildProcess): void {
    this.#forget(child)
    child.kill('SIGKILL')
  }

  #forget(child: ChildProcess): void {
    if (this.#child === child) this.#child = null
  }
}
