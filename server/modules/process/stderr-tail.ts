import type { Readable } from 'node:stream'
import { cut, visible } from '../../kernel/text.ts'

const LINES = 200
const LINE_LENGTH = 2000
/** More than this in a second is not looked at: a module that floods must not cost our time. */
const BYTES_PER_SECOND = 256 * 1024

/** The last lines that a module printed: at most 200 of 2,000 characters, control characters visible. */
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

  /** A line from elsewhere, for instance what was no message on standard output. */
  note(line: string): void {
    this.#lines.push(cut(visible(line.replaceAll('\t', '    ')), LINE_LENGTH))
    if (this.#lines.length > LINES) this.#lines.shift()
  }

  lines(): readonly string[] {
    const rest = this.#rest === '' ? [] : [cut(visible(this.#rest), LINE_LENGTH)]
    const leftOut = this.#leftOut === 0 ? [] : [leftOutLine(this.#leftOut)]
    return [...this.#lines, ...rest, ...leftOut].slice(-LINES)
  }

  /** Whether `bytes` more still fit into this second. */
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
    // A line that never ends is kept as far as it is shown.
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
