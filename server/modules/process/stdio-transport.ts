import type { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers'
import type { Transport } from '@modelcontextprotocol/client'
import { say, type Sentence } from '../../kernel/sentence.ts'

type Message = Parameters<Transport['send']>[0]

const MESSAGE_LIMIT = 10 * 1024 * 1024
/** Bytes on standard output without a single message among them. */
const NOISE_LIMIT = 16 * 1024 * 1024
/** Bytes sent to a module that it hasn't read yet. */
const UNREAD_LIMIT = 32 * 1024 * 1024
/** How long the messages of one module are handled before others get a turn. */
const TURN_MS = 8
const NEWLINE = 10

export interface StdioEvents {
  /** A line that isn't a message. */
  readonly onNoise: (line: string) => void
  /** The module went over a limit and must be stopped. */
  readonly onOverrun: (reason: Sentence) => void
  /** Our side is closing the transport. */
  readonly onClose: () => Promise<void>
}

/**
 * The MCP transport over standard input and output: one JSON message per line. It reads no faster than messages are
 * handled, so a flooding module fills its own pipe and not our memory.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  noiseLines = 0
  readonly #input: Readable
  readonly #output: Writable
  readonly #events: StdioEvents
  #chunks: Buffer[] = []
  #held = 0
  #noise = 0
  #ended = false
  /** Part of a chunk is waiting for its turn. */
  #waiting = false
  #overran = false

  /** `input` is what the module writes, `output` what it reads. */
  constructor(input: Readable, output: Writable, events: StdioEvents) {
    this.#input = input
    this.#output = output
    this.#events = events
    // A module that has exited no longer reads; that is reported as its exit, not as an error here.
    output.on('error', () => undefined)
    input.on('error', () => undefined)
  }

  start(): Promise<void> {
    this.#input.on('data', (chunk: Buffer) => this.#take(chunk))
    return Promise.resolve()
  }

  send(message: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended || !this.#output.writable) return reject(new Error('The module is gone.'))
      this.#output.write(`${JSON.stringify(message)}\n`, (error) =>
        error == null ? resolve() : reject(new Error('The module is gone.', { cause: error })),
      )
      if (this.#output.writableLength > UNREAD_LIMIT) this.#overrun(say`It does not read what it is sent.`)
    })
  }

  close(): Promise<void> {
    return this.#events.onClose()
  }

  /** Tells the client, once, that the module is gone. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#chunks = []
    this.onclose?.()
  }

  #take(chunk: Buffer): void {
    // Over a limit, the module is being killed: its pipe is still drained so that its end is noticed.
    if (this.#ended || this.#overran) return
    const turn = performance.now() + TURN_MS
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const line = this.#line(chunk.subarray(from, at))
      from = at + 1
      if (line === null) return
      this.#handle(line)
      if (this.#ended || this.#overran) return
      if (performance.now() > turn) {
        this.#later(chunk.subarray(from))
        return
      }
    }
    this.#hold(chunk.subarray(from))
  }

  /** Handles the rest after others have had a turn; nothing is read meanwhile. */
  #later(rest: Buffer): void {
    this.#input.pause()
    this.#waiting = true
    setImmediate(() => {
      this.#waiting = false
      this.#take(rest)
      if (!this.#waiting && !this.#ended) this.#input.resume()
    })
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return
    this.#held += part.length
    if (this.#held > MESSAGE_LIMIT) return this.#overrun(say`It sent a message of more than 10 MiB.`)
    this.#chunks.push(part)
  }

  #line(end: Buffer): string | null {
    if (this.#held + end.length > MESSAGE_LIMIT) {
      this.#overrun(say`It sent a message of more than 10 MiB.`)
      return null
    }
    if (this.#chunks.length === 0) return end.toString('utf8')
    const line = Buffer.concat([...this.#chunks, end]).toString('utf8')
    this.#chunks = []
    this.#held = 0
    return line
  }

  #handle(line: string): void {
    const message = parse(line)
    if (message === null) {
      if (line.trim() === '') return
      this.noiseLines += 1
      this.#noise += line.length + 1
      this.#events.onNoise(line)
      if (this.#noise > NOISE_LIMIT)
        this.#overrun(say`It wrote more than 16 MiB to standard output without sending a message.`)
      return
    }
    this.#noise = 0
    try {
      this.onmessage?.(message)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #overrun(reason: Sentence): void {
    if (this.#ended || this.#overran) return
    this.#overran = true
    this.#chunks = []
    this.#events.onOverrun(reason)
  }
}

function parse(line: string): Message | null {
  if (!line.trimStart().startsWith('{')) return null
  try {
    const value = JSON.parse(line) as { jsonrpc?: unknown }
    return value.jsonrpc === '2.0' ? (value as Message) : null
  } catch {
    return null
  }
}
