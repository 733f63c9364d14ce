import { fork, type ChildProcess } from 'node:child_process'
import { TableError } from './table-error.ts'
import { say, Sentence } from '../kernel/sentence.ts'
import { readPieces } from './read-pieces.ts'
import type { ExportJob, JobResults, TableAnswer, TableJob, WarmUp } from './table-job.ts'

export interface PoolOptions {
  /** Jobs at once; further ones wait. */
  readonly size: number
  /** Milliseconds after which a worker without work ends. */
  readonly idle_ms: number
  /** MiB that one worker may occupy. */
  readonly memory: number
  /** A folder in which workers keep what they compiled of their programs: the next one starts in half the time. */
  readonly programs: string
  /** Whether a worker that had to end after its job is replaced at once: the next question comes soon. */
  readonly replaced?: boolean
}

interface Turn {
  start(): void
  readonly signal: AbortSignal
}

/** Processes that read tables, started when there is work and ended when there is none. A job has a process to itself. */
export class WorkerPool implements AsyncDisposable {
  readonly #options: PoolOptions
  readonly #idle: { child: ChildProcess; timer: NodeJS.Timeout }[] = []
  readonly #children = new Set<ChildProcess>()
  readonly #queue: Turn[] = []
  #running = 0
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Process ids, for tests and measurements. */
  pids(): number[] {
    return [...this.#children].flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
  }

  /** Jobs that wait for their turn. */
  waiting(): number {
    return this.#queue.length
  }

  /** Starts a worker for a job that will come soon, unless one waits already. It ends like any other when none comes. */
  warm(): void {
    const alive = [...this.#children].filter(({ killed }) => !killed).length
    if (this.#closed || this.#idle.length > 0 || alive >= this.#options.size) return
    const child = this.#start()
    child.send({ kind: 'warm' } satisfies WarmUp, () => undefined)
    this.#rest(child)
  }

  /** Does a job. Aborting `signal` ends its process at once. @throws {TableError} */
  async run<Job extends TableJob>(
    job: Job,
    limits: { ms: number; signal: AbortSignal },
  ): Promise<JobResults[Job['kind']]> {
    await this.#turn(limits.signal)
    try {
      return (await this.#perform(job, limits)) as JobResults[Job['kind']]
    } finally {
      this.#running--
      this.#queue.shift()?.start()
    }
  }

  /**
   * The bytes of a job, while it makes them. Ends its process when nobody takes them any more, or when none comes or none is taken for
   * `ms`. @throws {TableError}
   */
  async *stream(job: ExportJob, limits: { ms: number; signal: AbortSignal }): AsyncGenerator<Uint8Array> {
    await this.#turn(limits.signal)
    const child = this.#take()
    let released = false
    const release = (reusable: boolean): void => {
      if (released) return
      released = true
      if (reusable) this.#rest(child)
      else child.kill('SIGKILL')
      this.#running--
      this.#queue.shift()?.start()
    }
    try {
      yield* readPieces(child, job, limits, release)
    } finally {
      release(false)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const turn of this.#queue.splice(0)) turn.start()
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer)
    await Promise.all(
      [...this.#children].map(
        (child) =>
          new Promise<void>((resolve) => {
            child.once('exit', () => resolve())
            if (!child.kill('SIGKILL')) resolve()
          }),
      ),
    )
  }

  async #turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw stopped()
    if (this.#closed) throw closing()
    if (this.#running >= this.#options.size) {
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          this.#queue.splice(this.#queue.indexOf(turn), 1)
          reject(stopped())
        }
        const turn: Turn = {
          signal,
          start: () => {
            signal.removeEventListener('abort', onAbort)
            if (this.#closed) reject(closing())
            else {
              this.#running++
              resolve()
            }
          },
        }
        this.#queue.push(turn)
        signal.addEventListener('abort', onAbort, { once: true })
      })
    } else this.#running++
  }

  #perform(job: TableJob, { ms, signal }: { ms: number; signal: AbortSignal }): Promise<unknown> {
    const child = this.#take()
    return new Promise((resolve, reject) => {
      const settle = (error: TableError | null, result?: unknown): void => {
        clearTimeout(deadline)
        signal.removeEventListener('abort', onAbort)
        child.removeAllListeners('message')
        child.removeListener('exit', onExit)
        if (error === null) resolve(result)
        else reject(error)
      }
      const kill = (error: TableError): void => {
        settle(error)
        child.kill('SIGKILL')
      }
      const onAbort = (): void => kill(stopped())
      const onExit = (): void =>
        settle(new TableError('failed', say`The process that reads tables ended in the middle of its work.`))
      const deadline = setTimeout(
        () => kill(new TableError('timeout', say`It did not end within ${Math.round(ms / 1000)} s.`)),
        ms,
      )
      signal.addEventListener('abort', onAbort, { once: true })
      child.once('exit', onExit)
      child.once('message', (answer: TableAnswer) => {
        if (answer.ok) settle(null, answer.result)
        else settle(new TableError(answer.code, Sentence.unpack(answer.detail)))
        if (answer.last) {
          child.kill('SIGKILL')
          if (this.#options.replaced === true) this.warm()
        } else this.#rest(child)
      })
      child.send(job, (error) => {
        if (error !== null) kill(new TableError('failed', say`The process that reads tables could not be reached.`))
      })
    })
  }

  #take(): ChildProcess {
    for (let rested = this.#idle.pop(); rested !== undefined; rested = this.#idle.pop()) {
      clearTimeout(rested.timer)
      if (rested.child.connected) return rested.child
    }
    return this.#start()
  }

  #start(): ChildProcess {
    const child = fork(new URL('./table-worker.ts', import.meta.url), [String(this.#options.memory)], {
      // Nothing of ours: no settings, no secrets.
      env: { NODE_COMPILE_CACHE: this.#options.programs },
      execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=384', '--max-semi-space-size=4'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
    // A process that cannot be started emits this instead of `exit`.
    child.on('error', () => child.emit('exit'))
    return child
  }

  #rest(child: ChildProcess): void {
    if (this.#closed || !child.connected) return void child.kill('SIGKILL')
    const timer = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((each) => each.child === child),
        1,
      )
      child.kill('SIGKILL')
    }, this.#options.idle_ms)
    timer.unref()
    this.#idle.push({ child, timer })
  }
}

function stopped(): TableError {
  return new TableError('cancelled', say`It was stopped.`)
}

function closing(): TableError {
  return new TableError('cancelled', say`The service is stopping.`)
}
