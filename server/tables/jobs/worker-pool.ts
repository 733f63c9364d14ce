import type { ChildProcess } from 'node:child_process'
import { Places, type NoPlace, type PlaceLimits } from '../../kernel/places.ts'
import { say, Sentence } from '../../kernel/sentence.ts'
import type { Machine } from '../../sandbox/machine.ts'
import { isOver, Readers, type Reader } from '../../sandbox/readers.ts'
import { readPieces } from './read-pieces.ts'
import { enterRoom, leaveRoom } from './room-job.ts'
import { TableError } from '../shape/table-error.ts'
import type { ExportJob, ExportRowsJob, JobResults, TableAnswer, TableJob, WarmUp } from '../shape/table-job.ts'

export interface PoolOptions {
  /** Jobs at once; others wait. */
  readonly places: PlaceLimits
  /** Milliseconds after which an idle worker ends. */
  readonly idle_ms: number
  /** MiB that one worker may occupy. */
  readonly memory: number
  /** Isolated workers get a folder in here each. */
  readonly folder: string
  /** A folder for the compiled code of their programs: the next worker starts in half the time. */
  readonly programs: string
  /** Isolates workers; null: no isolation. */
  readonly machine: Machine | null
  /** Whether a worker that had to end after its job is replaced immediately, because the next question comes soon. */
  readonly replaced?: boolean
}

export interface JobLimits {
  /** The owner: places are shared between owners, and no worker reads the bytes of two. */
  readonly owner: string
  /** A known, small amount of work: it may overtake longer jobs. */
  readonly light?: boolean
  /** Milliseconds that it may take. */
  readonly ms: number
  /** Milliseconds that it may wait before it begins; unlimited by default. */
  readonly wait_ms?: number
  readonly signal: AbortSignal
  /** Called when it begins. */
  readonly onBegin?: () => void
}

/**
 * Processes that read tables, started when there is work and ended when there is none. Each job has a process to
 * itself.
 */
export class WorkerPool implements AsyncDisposable {
  readonly #options: PoolOptions
  readonly #places: Places
  readonly #readers: Readers

  constructor(options: PoolOptions) {
    this.#options = options
    const { places, idle_ms, memory, folder, programs, machine } = options
    this.#places = new Places(places)
    this.#readers = new Readers({
      program: {
        script: new URL('./table-worker.ts', import.meta.url),
        args: [String(memory)],
        options: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=384', '--max-semi-space-size=4'],
        serialization: 'advanced',
      },
      machine,
      folder,
      programs,
      idle_ms,
      spare: places.size,
    })
  }

  /** Process ids, for tests and measurements. */
  pids(): number[] {
    return this.#readers.pids()
  }

  /** Jobs in the queue. */
  waiting(): number {
    return this.#places.waiting
  }

  /**
   * Starts a worker for a job that is expected soon, unless one is already idle. It ends like any other if the job
   * never comes.
   */
  warm(): void {
    this.#readers.warm((child) => child.send({ kind: 'warm' } satisfies WarmUp, () => undefined))
  }

  /**
   * Runs a job. Aborting `signal` ends its process immediately. @throws {TableError} busy when it waited too long, and
   * others
   */
  async run<Job extends TableJob>(job: Job, limits: JobLimits): Promise<JobResults[Job['kind']]> {
    const leave = await this.#turn(limits)
    try {
      limits.onBegin?.()
      const reader = this.#readers.take(limits.owner)
      const state = { reusable: false }
      try {
        const inside = await this.#enter(reader, job)
        const result = (await this.#perform(reader.child, inside, limits, state)) as JobResults[Job['kind']]
        await leaveRoom(reader.room, job, inside)
        return result
      } finally {
        await this.#release(reader, state.reusable ? limits.owner : null)
      }
    } finally {
      leave()
    }
  }

  /**
   * The bytes of a job, as it makes them. Its process ends when the caller stops reading, or when no byte is made or
   * taken for `ms`. @throws {TableError}
   */
  async *stream(job: ExportJob | ExportRowsJob, limits: JobLimits): AsyncGenerator<Uint8Array> {
    const leave = await this.#turn(limits)
    const reader = this.#readers.take(limits.owner)
    let released = false
    const release = (reusable: boolean): void => {
      if (released) return
      released = true
      void this.#release(reader, reusable ? limits.owner : null)
      leave()
    }
    try {
      yield* readPieces(reader.child, await this.#enter(reader, job), limits, release)
    } finally {
      release(false)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#places.close()
    await this.#readers[Symbol.asyncDispose]()
  }

  async #turn({ owner, light = false, wait_ms, signal }: JobLimits): Promise<() => void> {
    const place = await this.#places.take({ owner, heavy: !light, wait_ms, signal })
    if (typeof place === 'string') throw noPlace(place)
    return place
  }

  /**
   * The job adapted to this worker. @throws {TableError} failed when the worker ended meanwhile, together with its room
   */
  async #enter<Job extends TableJob>({ child, room }: Reader, job: Job): Promise<Job> {
    let inside: Job
    try {
      inside = await enterRoom(room, job)
    } catch (error) {
      throw !isOver(child) && error instanceof TableError ? error : ended()
    }
    // From here on, its exit is observed.
    if (isOver(child)) throw ended()
    return inside
  }

  async #release(reader: Reader, owner: string | null): Promise<void> {
    await this.#readers.release(reader, owner)
    if (owner === null && this.#options.replaced === true) this.warm()
  }

  #perform(
    child: ChildProcess,
    job: TableJob,
    { ms, signal }: JobLimits,
    state: { reusable: boolean },
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (error: TableError | null, result?: unknown): void => {
        clearTimeout(deadline)
        signal.removeEventListener('abort', onAbort)
        child.removeAllListeners('message')
        child.removeListener('exit', onExit)
        if (error === null) resolve(result)
        else reject(error)
      }
      const onAbort = (): void => settle(stopped())
      const onExit = (): void => settle(ended())
      const deadline = setTimeout(
        () => settle(new TableError('timeout', say`It did not end within ${Math.round(ms / 1000)} s.`)),
        ms,
      )
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      child.once('exit', onExit)
      child.once('message', (answer: TableAnswer) => {
        state.reusable = !answer.last
        if (answer.ok) settle(null, answer.result)
        else settle(new TableError(answer.code, Sentence.unpack(answer.detail)))
      })
      child.send(job, (error) => {
        if (error !== null) settle(new TableError('failed', say`The process that reads tables could not be reached.`))
      })
    })
  }
}

function noPlace(why: NoPlace): TableError {
  switch (why) {
    case 'late':
      return tooManyTables()
    case 'stopped':
      return stopped()
    case 'closed':
      return new TableError('cancelled', say`The service is stopping.`)
  }
}

export function tooManyTables(): TableError {
  return new TableError('busy', say`Too many tables are being read at the moment. Try again in a few seconds.`)
}

function ended(): TableError {
  return new TableError('failed', say`The process that reads tables ended in the middle of its work.`)
}

function stopped(): TableError {
  return new TableError('cancelled', say`It was stopped.`)
}
