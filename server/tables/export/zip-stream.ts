import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import { dataDescriptor, directory, localHeader, type ZipEntry } from './zip-records.ts'

/**
 * Bytes compressed at once, on a thread of their own and independently of what came before, so that the results can be
 * joined.
 */
const PIECE = 1024 * 1024
/** Pieces compressed at the same time; more would cost memory without adding speed. */
const AT_ONCE = 3
/** Room for the usual compressed size of a piece: each further chunk would cost a turn of the event loop. */
const OPTIONS = { level: 1, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 256 * 1024 }
/** An empty last block, which ends the joined pieces. */
const LAST_BLOCK = Buffer.from([3, 0])
const pack = promisify(deflateRaw) as (bytes: Uint8Array, options: typeof OPTIONS) => Promise<Buffer>

/**
 * An archive, written entry by entry in constant memory. Writing text doesn't wait; between rows, `ready` hands out
 * what is compressed and waits when compression falls behind. An entry must stay below 4 GiB: check `entryBytes`.
 */
export class ZipStream {
  readonly #made: Date
  readonly #entries: ZipEntry[] = []
  readonly #packing: Promise<Buffer>[] = []
  readonly #free: Buffer[] = []
  #piece: Buffer = Buffer.allocUnsafeSlow(PIECE)
  #used = 0
  #position = 0
  #current = { name: '', offset: 0, crc: 0, packed: 0, size: 0 }

  constructor(made: Date) {
    this.#made = made
  }

  /** Bytes of the entry so far, before compression. */
  get entryBytes(): number {
    return this.#current.size + this.#used
  }

  /** Whether compression is behind: then drain `ready` before writing more. */
  get behind(): boolean {
    return this.#packing.length >= AT_ONCE
  }

  /** Begins an entry; the previous one must have been ended. */
  begin(name: string): Buffer {
    const header = localHeader(name, this.#made)
    this.#current = { name, offset: this.#position, crc: 0, packed: 0, size: 0 }
    this.#position += header.length
    return header
  }

  write(text: string): void {
    // A UTF-16 unit needs at most three bytes.
    if (text.length * 3 <= PIECE) return this.#append(text)
    for (let at = 0; at < text.length;) {
      let end = Math.min(at + PIECE / 4, text.length)
      if (end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00) end--
      this.#append(text.slice(at, end))
      at = end
    }
  }

  /** Writes bytes; pieces that don't compress further are stored as they are. */
  writeBytes(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PIECE) {
      this.#flush()
      const part = bytes.subarray(at, at + PIECE)
      this.#piece.set(part)
      this.#used = part.length
    }
  }

  /** Whatever has been compressed by now. */
  async *ready(): AsyncGenerator<Buffer> {
    while (this.behind) yield this.#counted(await this.#packing.shift()!)
  }

  /** Ends the entry. */
  async *end(): AsyncGenerator<Buffer> {
    this.#flush()
    for (let next = this.#packing.shift(); next !== undefined; next = this.#packing.shift())
      yield this.#counted(await next)
    const last = this.#counted(LAST_BLOCK)
    const entry = { ...this.#current, made: this.#made }
    this.#entries.push(entry)
    const descriptor = dataDescriptor(entry)
    this.#position += descriptor.length
    yield Buffer.concat([last, descriptor])
  }

  /** Ends the archive. */
  close(): Buffer {
    return directory(this.#entries, this.#position)
  }

  #append(text: string): void {
    if (this.#used + text.length * 3 > PIECE) this.#flush()
    this.#used += this.#piece.write(text, this.#used)
  }

  #flush(): void {
    if (this.#used === 0) return
    const piece = this.#piece
    const bytes = piece.subarray(0, this.#used)
    this.#current.crc = crc32(bytes, this.#current.crc)
    this.#current.size += this.#used
    const packed = pack(bytes, OPTIONS).finally(() => this.#free.push(piece))
    // A reader that stops never requests it.
    packed.catch(() => undefined)
    this.#packing.push(packed)
    this.#piece = this.#free.pop() ?? Buffer.allocUnsafeSlow(PIECE)
    this.#used = 0
  }

  #counted(bytes: Buffer): Buffer {
    this.#position += bytes.length
    this.#current.packed += bytes.length
    return bytes
  }
}
