import type { XmlEvents } from '../sheet/xml-scanner.ts'
import type { ZipParts } from '../sheet/zip-parts.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'
import { cellText } from './cell-text.ts'

const BLOCK = 4 * 1024 * 1024
/** Bytes of all texts. They are outside the heap; the process must have room for the engine as well. */
const LIMIT = 640 * 1024 * 1024
const CACHED = 1 << 14

/**
 * The texts that cells reference by number, packed as UTF-8: a million of them are a few blocks instead of a million
 * objects.
 */
export class SharedStrings {
  readonly #blocks: Buffer[] = []
  #block = Buffer.alloc(0)
  #used = 0
  #total = 0
  #count = 0
  /** Block, start and length of each text. */
  #places = new Uint32Array(3 * 1024)
  /** The most recently requested texts, by the last bits of their number. */
  readonly #cachedNumbers = new Int32Array(CACHED).fill(-1)
  readonly #cached: string[] = []

  get count(): number {
    return this.#count
  }

  /** @throws {TableError} too_large */
  add(text: string): void {
    const most = text.length * 3
    if (this.#blocks.length === 0 || this.#block.length - this.#used < most) {
      this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK, most))
      this.#blocks.push(this.#block)
      this.#used = 0
    }
    const length = this.#block.write(text, this.#used)
    const at = this.#count * 3
    if (at + 3 > this.#places.length) {
      const places = new Uint32Array(this.#places.length * 2)
      places.set(this.#places)
      this.#places = places
    }
    this.#places[at] = this.#blocks.length - 1
    this.#places[at + 1] = this.#used
    this.#places[at + 2] = length
    this.#used += length
    this.#total += length
    this.#count++
    if (this.#total > LIMIT)
      throw new TableError('too_large', say`The texts of this workbook need more memory than one table may use.`)
  }

  /** Null when there is none with this number. */
  get(number: number): string | null {
    if (!Number.isInteger(number) || number < 0 || number >= this.#count) return null
    const at = number & (CACHED - 1)
    if (this.#cachedNumbers[at] === number) return this.#cached[at]!
    const place = number * 3
    const start = this.#places[place + 1]!
    const text = this.#blocks[this.#places[place]!]!.toString('utf8', start, start + this.#places[place + 2]!)
    this.#cachedNumbers[at] = number
    this.#cached[at] = text
    return text
  }
}

/** Reads the texts of a workbook up to the number `last`. @throws {TableError} */
export async function readSharedStrings(parts: ZipParts, part: string, last: number): Promise<SharedStrings> {
  const strings = new SharedStrings()
  let text = ''
  let taking = false
  let phonetic = false
  let stop = (): void => {}
  const events: XmlEvents = {
    open(name) {
      if (name === 't') taking = !phonetic
      else if (name === 'rPh') phonetic = true
      else if (name === 'si') text = ''
    },
    text(raw, escaped) {
      if (taking) text += cellText(raw, escaped)
    },
    close(name) {
      if (name === 't') taking = false
      else if (name === 'rPh') phonetic = false
      else if (name === 'si') {
        strings.add(text)
        if (strings.count > last) stop()
      }
    },
  }
  const started = (scanner: { stopped: boolean }): void => {
    stop = () => {
      scanner.stopped = true
    }
  }
  await parts.scan(part, events, { started })
  return strings
}
