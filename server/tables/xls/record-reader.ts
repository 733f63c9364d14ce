import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'

const CONTINUE = 0x3c

/**
 * The bytes of one record of a workbook and of its continuation records. A text that continues in the next record
 * states again there whether its characters have one byte or two. @throws {TableError} unreadable, past the end
 */
export class RecordReader {
  readonly #blocks: readonly Buffer[]
  #block = 0
  #at = 0

  constructor(blocks: readonly Buffer[]) {
    this.#blocks = blocks
  }

  get atEnd(): boolean {
    return this.#left() === 0 && this.#block >= this.#blocks.length - 1
  }

  u8(): number {
    return this.#take(1).readUInt8(0)
  }
  u16(): number {
    return this.#take(2).readUInt16LE(0)
  }
  u32(): number {
    return this.#take(4).readUInt32LE(0)
  }
  bytes(length: number): Buffer {
    return this.#take(length)
  }

  skip(length: number): void {
    for (let left = length; left > 0;) {
      if (this.#left() === 0) this.#next()
      const step = Math.min(left, this.#left())
      this.#at += step
      left -= step
    }
  }

  /** `length` characters, after the byte that gives their width. */
  characters(length: number, flags = this.u8()): string {
    let text = ''
    let wide = (flags & 1) === 1
    for (let left = length; left > 0;) {
      if (this.#left() === 0) {
        this.#next()
        wide = (this.u8() & 1) === 1
      }
      const count = Math.min(left, wide ? this.#left() >> 1 : this.#left())
      if (count === 0) throw cutOff()
      text += this.#take(wide ? count * 2 : count).toString(wide ? 'utf16le' : 'latin1')
      left -= count
    }
    return text
  }

  /** A text with its extras: formatting runs and pronunciation. */
  richText(): string {
    const length = this.u16()
    const flags = this.u8()
    const runs = (flags & 8) === 0 ? 0 : this.u16()
    const more = (flags & 4) === 0 ? 0 : this.u32()
    const text = this.characters(length, flags)
    this.skip(runs * 4 + more)
    return text
  }

  #left(): number {
    return (this.#blocks[this.#block]?.length ?? 0) - this.#at
  }

  #next(): void {
    if (this.#block >= this.#blocks.length - 1) throw cutOff()
    this.#block++
    this.#at = 0
  }

  #take(length: number): Buffer {
    if (this.#left() === 0) this.#next()
    if (this.#left() < length) throw cutOff()
    const block = this.#blocks[this.#block]!
    this.#at += length
    return block.subarray(this.#at - length, this.#at)
  }
}

/**
 * The records of a stream from an offset on, each with its continuations, until `take` returns true or the stream ends.
 */
export function eachRecord(
  stream: Buffer,
  start: number,
  take: (id: number, record: () => RecordReader, place: number) => boolean,
): void {
  for (let at = start; at + 4 <= stream.length;) {
    const place = at
    const id = stream.readUInt16LE(at)
    const blocks: Buffer[] = []
    do {
      const from = at + 4
      const length = stream.readUInt16LE(at + 2)
      blocks.push(stream.subarray(from, from + length))
      at = from + length
    } while (at + 4 <= stream.length && stream.readUInt16LE(at) === CONTINUE)
    if (take(id, () => new RecordReader(blocks), place)) return
  }
}

function cutOff(): TableError {
  return new TableError('unreadable', say`This workbook is damaged: a record in it is cut off.`)
}
