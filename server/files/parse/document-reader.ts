import type { ChildProcess } from 'node:child_process'
import { pipeline } from 'node:stream/promises'
import { Places } from '../../kernel/places.ts'
import { say, Sentence } from '../../kernel/sentence.ts'
import type { Machine } from '../../sandbox/machine.ts'
import { killReader, startReader, type ReaderProgram } from '../../sandbox/start-reader.ts'
import { DocumentError } from './document-error.ts'
import type { DocumentAnswer, DocumentFormat, DocumentJob, DocumentText } from './parsed-document.ts'

export interface ReaderLimits {
  /** Bytes; larger documents are not read. */
  readonly size: number
  /** Characters of text kept per document. */
  readonly characters: number
  /** Milliseconds until a parser is killed; three quarters in, it stops by itself where it can. */
  readonly ms: number
  /** MiB that a parser's process, and its heap alone, may take. */
  readonly memory: number
  readonly heap: number
  /** Documents read at once, one fewer per owner; others wait. */
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

const PROGRAM: ReaderProgram = {
  script: new URL('./document-process.ts', import.meta.url),
  // It may read the program and nothing else: no writing, no processes, no code made from strings.
  options: [
    '--permission',
    '--allow-fs-read=*',
    '--allow-worker',
    '--disallow-code-generation-from-strings',
    '--disable-warning=SecurityWarning',
  ],
  serialization: 'advanced',
  stdin: true,
}

/** Reads the text of documents, each in a process of its own: a hostile file costs that process and nothing else. */
export class DocumentReader implements AsyncDisposable {
  readonly #limits: ReaderLimits
  readonly #children = new Set<ChildProcess>()
  readonly #places: Places
  readonly #machine: Machine | null
  #closed = false

  /** `machine` isolates parsers; without it they are plain processes. */
  constructor(limits: Partial<ReaderLimits> = {}, machine: Machine | null = null) {
    this.#limits = { ...DEFAULTS, ...limits }
    this.#machine = machine
    const { atOnce } = this.#limits
    this.#places = new Places({ size: atOnce, each: Math.max(1, atOnce - 1) })
  }

  /** Process ids, for tests and measurements. */
  pids(): number[] {
    return [...this.#children].flatMap(({ pid }) => (pid === undefined ? [] : [pid]))
  }

  /**
   * @param owner users with many documents don't keep others waiting.
   * @param bytes either read to the end or not at all.
   * @throws {DocumentError}
   */
  async read(
    owner: string,
    format: DocumentFormat,
    size: number,
    bytes: () => AsyncIterable<Uint8Array>,
  ): Promise<DocumentText> {
    const { size: limit } = this.#limits
    if (size > limit)
      throw new DocumentError('unsupported', say`Documents over ${limit / (1024 * 1024)} MB are not read.`)
    const leave = await this.#places.take({ owner })
    if (typeof leave === 'string') throw stopping()
    try {
      return await this.#parse(format, bytes)
    } finally {
      leave()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#places.close()
    await Promise.all([...this.#children].map(end))
  }

  async #parse(format: DocumentFormat, bytes: () => AsyncIterable<Uint8Array>): Promise<DocumentText> {
    const { ms, memory, heap, characters } = this.#limits
    const child = startReader(this.#machine?.now() ?? null, PROGRAM, { read: [], write: [] })
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
    // A process that cannot be started emits this instead of `exit`.
    child.on('error', () => child.emit('exit'))
    try {
      const answer = await new Promise<DocumentAnswer>((resolve, reject) => {
        const deadline = setTimeout(
          () =>
            reject(
              new DocumentError('failed', say`Reading it did not finish within ${Math.ceil(ms / 1000)} s.`, false),
            ),
          ms,
        )
        child.once('exit', () => {
          clearTimeout(deadline)
          reject(
            this.#closed ? stopping() : new DocumentError('failed', say`The process that reads it ended early.`, false),
          )
        })
        child.once('message', (message: DocumentAnswer) => {
          clearTimeout(deadline)
          resolve(message)
        })
        const job: DocumentJob = { format, limits: { characters, soft_ms: ms * 0.75 }, memory, heap }
        child.send(job, (error) => void (error !== null && child.emit('exit')))
        // A process that ends before it has read everything breaks the pipe; why it ended is reported above.
        pipeline(bytes, child.stdin!).catch((error: unknown) => {
          if ((error as { code?: string }).code !== 'EPIPE') reject(error)
        })
      })
      if (!answer.ok) throw new DocumentError(answer.status, Sentence.unpack(answer.detail))
      const { document, detail } = answer
      return detail === null ? document : { ...document, detail: Sentence.unpack(detail) }
    } finally {
      killReader(child)
    }
  }
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    if (!killReader(child)) resolve()
  })
}

function stopping(): DocumentError {
  return new DocumentError('failed', say`The service is stopping.`, false)
}
