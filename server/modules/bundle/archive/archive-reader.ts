import type { FileHandle } from 'node:fs/promises'
import { RandomAccessReader } from 'yauzl'
import { say } from '../../../kernel/sentence.ts'
import { BundleError } from '../bundle-error.ts'
import type { SignatureBlock } from '../signature/signature-block.ts'

const WINDOW = 256 * 1024

/**
 * Reads the archive proper of a packed bundle, which is everything before its signature. It reads in windows because
 * headers are many and small.
 */
export class ArchiveReader extends RandomAccessReader {
  readonly size: number
  readonly #handle: FileHandle
  readonly #patched: SignatureBlock['patched']
  #window: Buffer = Buffer.alloc(0)
  #start = 0

  constructor(handle: FileHandle, { contentEnd, patched }: SignatureBlock) {
    super()
    this.#handle = handle
    this.size = contentEnd
    this.#patched = patched
  }

  /** @throws {BundleError} `bad_archive` when the range is outside the archive. */
  async range(position: number, length: number): Promise<Buffer> {
    if (!(position >= 0 && length >= 0 && position + length <= this.size))
      throw new BundleError('bad_archive', say`The archive is cut off or damaged: it points past its own end.`)
    if (length > WINDOW) return this.#load(position, length)
    if (position < this.#start || position + length > this.#start + this.#window.length) {
      const window = await this.#load(position, Math.min(WINDOW, this.size - position))
      this.#window = window
      this.#start = position
      return window.subarray(0, length)
    }
    return this.#window.subarray(position - this.#start, position - this.#start + length)
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    void this.#copy(buffer, offset, length, position, callback)
  }

  async #copy(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): Promise<void> {
    let failure: Error | null = null
    try {
      const bytes = await this.range(position, length)
      bytes.copy(buffer, offset)
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    }
    callback(failure)
  }

  async #load(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length)
    for (let done = 0; done < length;) {
      const { bytesRead } = await this.#handle.read(buffer, done, length - done, position + done)
      if (bytesRead === 0)
        throw new BundleError('bad_archive', say`The archive became shorter while it was being read.`)
      done += bytesRead
    }
    if (this.#patched !== null) {
      const { at, comment } = this.#patched
      for (const [offset, byte] of [comment & 0xff, comment >> 8].entries())
        if (at + offset >= position && at + offset < position + length) buffer[at + offset - position] = byte
    }
    return buffer
  }
}
