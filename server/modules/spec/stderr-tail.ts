import type { Readable } from 'node:stream'
import { cut, visible } from '../../kernel/text/plain-text.ts'

const LINES = 200
const LINE_LENGTH = 2000
/** Output beyond this rate is dropped, so that a flooding module does not cost us time. */
const BYTES_PER_SECOND = 256 * 1024

/**
 * The last lines that a module printed: at most 200 of up to 2,000 characters each, with control characters made
 * visible.
 */
export class StderrTail {
  readonly #lines: string[] = []
  #rest = ''
  #second = 0
  #bytes = 0
  #leftOut = 0

  read(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => this.#take(chunk))
    stream.once('end', () => this.#finish())
    stream.on('error', () => undefined)
  }

  /** Adds a line from elsewhere, such as one on standard output that wasn't a message. */
  note(line: string): void {
    this.#lines.push(cut(visible(line.replaceAll('\t', '    ')), LINE_LENGTH))
    if (this.#lines.length > LINES) this.#lines.shift()
  }

  /** Adds what the module told otherwise than on standard error, at the same rate. */
  told(text: string): void {
    if (this.allows(Buffer.byteLength(text))) for (const line of text.split(/\r?\n|\r/)) this.note(line)
  }

  lines(): readonly string[] {
    const rest = this.#rest === '' ? [] : [cut(visible(this.#rest), LINE_LENGTH)]
    const leftOut = this.#leftOut === 0 ? [] : [leftOutLine(this.#leftOut)]
    return [...this.#lines, ...rest, ...leftOut].slice(-LINES)
  }

  /** Whether `bytes` more are within the rate limit. */
  allows(bytes: number): boolean {
    const second = Math.floor(performance.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#bytes = 0
      if (this.#leftOut > 0) this.note(leftOutLine(this.#leftOut))
      this.#leftOut = 0
    }
    this.#bytes += bytes
    if (this.#bytes <= BYTES_PER_SECOND) return true
    this.#leftOut += bytes
    return false
  }

  #take(chunk: Buffer): void {
    if (!this.allows(chunk.length)) return
    const lines = (this.#rest + chunk.toString('utf8')).split(/\r?\n|\r/)
    // Of a line that never ends, only what is shown is kept.
    this.#rest = cut(lines.pop() ?? '', LINE_LENGTH)
    for (const line of lines.slice(-LINES)) this.note(line)
  }

  #finish(): void {
    if (this.#rest !== '') this.note(this.#rest)
    this.#rest = ''
  }
}

function leftOutLine(bytes: number): string {
  return `[${Math.ceil(bytes / 1024)} KiB were left out: too much at once]`
}
