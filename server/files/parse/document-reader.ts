import { fork, type ChildProcess } from 'node:child_process'
import { pipeline } from 'node:stream/promises'
import { DocumentError } from './document-error.ts'
import type { DocumentAnswer, DocumentFormat, DocumentJob, DocumentText } from './parsed-document.ts'

export interface ReaderLimits {
  /** Bytes of a document; a larger one is not read. */
  readonly size: number
  /** Characters of text that are kept of one document. */
  readonly characters: number
  /** Milliseconds until a parser is ended; a quarter before, it stops by itself where it can. */
  readonly ms: number
  /** MiB that a parser's process, and its heap alone, may take. */
  readonly memory: number
  readonly heap: number
  /** Documents that are read at once; further ones wait. */
  readonly atOnce: number
}

const DEFAULTS: ReaderLimits = {
  size: 64 * 1024 * 1024,
  characters: 1_000_000,
  ms: 30_000,
  memory: 768,
  heap: 384,
  atOnce: 2,
}

/** Reads the text of documents, each in a process of its own: a hostile file costs that process and nothing else. */
export class DocumentReader implements AsyncDisposable {
  readonly #limits: ReaderLimits
  readonly #children = new Set<ChildProcess>()
  readonly #queue: (() => void)[] = []
  #running = 0
  #closed = false

  constructor(limits: Partial<ReaderLimits> = {}) {
    this.#limits = { ...DEFAULTS, ...limits }
  }

  /** Process ids, for tests and measurements. */
  pids(): number[] {
    return [...this.#children].flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
  }

  /** @param bytes are read to their end, or not at all. @throws {DocumentError} */
  async read(format: DocumentFormat, size: number, bytes: () => AsyncIterable<Uint8Array>): Promise<DocumentText> {
    const { size: limit, atOnce } = this.#limits
    if (size > limit) throw new DocumentError('unsupported', `Documents over ${limit / (1024 * 1024)} MB are not read.`)
    if (this.#running >= atOnce) await new Promise<void>((resolve) => this.#queue.push(resolve))
    else this.#running++
    try {
      if (this.#closed) throw stopping()
      return await this.#parse(format, bytes)
    } finally {
      const next = this.#queue.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const next of this.#queue.splice(0)) next()
    await Promise.all([...this.#children].map(end))
  }

  async #parse(format: DocumentFormat, bytes: () => AsyncIterable<Uint8Array>): Promise<DocumentText> {
    const { ms, memory, heap, characters } = this.#limits
    const child = fork(new URL('./document-process.ts', import.meta.url), [], {
      // Nothing of ours: no settings, no secrets.
      env: {},
      // It may read the program and do nothing else: no writing, no processes, no code made of strings.
      execArgv: [
        '--permission',
        '--allow-fs-read=*',
        '--allow-worker',
        '--disallow-code-generation-from-strings',
        '--disable-warning=SecurityWarning',
      ],
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    })
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
    // A process that cannot be started emits this instead of `exit`.
    child.on('error', () => child.emit('exit'))
    try {
      const answer = await new Promise<DocumentAnswer>((resolve, reject) => {
        const deadline = setTimeout(
          () => reject(new DocumentError('failed', `Reading it did not end within ${Math.ceil(ms / 1000)} s.`, false)),
          ms,
        )
        child.once('exit', () => {
          clearTimeout(deadline)
          reject(
            this.#closed ? stopping() : new DocumentError('failed', 'The process that reads it ended early.', false),
          )
        })
        child.once('message', (message: DocumentAnswer) => {
          clearTimeout(deadline)
          resolve(message)
        })
        const job: DocumentJob = { format, limits: { characters, soft_ms: ms * 0.75 }, memory, heap }
        child.send(job, (error) => void (error !== null && child.emit('exit')))
        // A process that ends before it has read everything breaks the pipe; what happened to it is said above.
        pipeline(bytes, child.stdin!).catch((error: unknown) => {
          if ((error as { code?: string }).code !== 'EPIPE') reject(error)
        })
      })
      if (!answer.ok) throw new DocumentError(answer.status, answer.message)
      return answer.document
    } finally {
      child.kill('SIGKILL')
    }
  }
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    if (!child.kill('SIGKILL')) resolve()
  })
}

function stopping(): DocumentError {
  return new DocumentError('failed', 'The service is stopping.', false)
}
