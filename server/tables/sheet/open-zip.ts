import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { fromRandomAccessReaderPromise, openPromise, RandomAccessReader, type ZipFile } from 'yauzl'

const OPTIONS = { autoClose: false, lazyEntries: true } as const
/** The end record of a zip and the longest comment in it. */
const END_RECORD = 22
const COMMENT = 65_535
/** Bytes tolerated after a zip: leftovers of mail, downloads and careless programs. */
const BEHIND = 64 * 1024
const SIGNATURE = Buffer.from('PK\x05\x06', 'latin1')

/** Opens a zip, even with a few extra bytes after its end. Null when it isn't one. */
export async function openZip(path: string): Promise<ZipFile | null> {
  const zip = await openPromise(path, OPTIONS).catch(() => null)
  if (zip !== null) return zip
  const end = await endOfZip(path)
  return end === null ? null : fromRandomAccessReaderPromise(new FileReader(path), end, OPTIONS).catch(() => null)
}

/** Where the last complete end record ends, if that isn't the end of the file. */
async function endOfZip(path: string): Promise<number | null> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - END_RECORD - COMMENT - BEHIND)
    const buffer = Buffer.alloc(size - start)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
    const tail = buffer.subarray(0, bytesRead)
    for (let at = tail.lastIndexOf(SIGNATURE); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(SIGNATURE, at - 1)) {
      if (at + END_RECORD > tail.length) continue
      const end = at + END_RECORD + tail.readUInt16LE(at + 20)
      if (end < tail.length) return start + end
    }
    return null
  } finally {
    await file.close()
  }
}

class FileReader extends RandomAccessReader {
  readonly #path: string

  constructor(path: string) {
    super()
    this.#path = path
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return createReadStream(this.#path, { start, end: end - 1 })
  }
}
