import { copyFileSync, closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { CompactReader } from './compact-reader.ts'
import { joinBlocks } from './join-blocks.ts'

/**
 * The codec in the footer, as its one byte: what Hadoop wrote (or, by mistake, others without its frames), and what the
 * engine reads.
 */
const HADOOP = 0x0a
const RAW = 0x0e
/** A field without meaning, in one byte: readers of a page header skip it. */
const NOTHING = 0x11
/** A header contains the smallest and the largest value of its page, which may be long. */
const HEADERS = [4096, 1024 * 1024]
const DATA_PAGES = [0, 3]

interface Chunk {
  /** The position of its codec in the footer. */
  readonly codec: number
  readonly start: number
  readonly values: number
}
interface Page {
  readonly header: Buffer
  /** The position of the packed size in the header. */
  readonly sizeAt: number
  readonly sizeEnd: number
  readonly packed: number
  readonly unpacked: number
  /** Bytes of levels before the packed data. */
  readonly levels: number
  readonly values: number
  readonly plain: boolean
}

/**
 * The file itself, or, where columns are packed with the old codec `LZ4`, which the engine doesn't read, a `copy` with
 * the same values in `LZ4_RAW`. Nothing in it moves: a header grows by what its page no longer needs for frames.
 */
export function rawLz4(path: string, copy: string): string {
  const footer = readFooter(path)
  const chunks = footer === null ? [] : findChunks(footer.bytes)
  if (footer === null || chunks.length === 0) return path
  copyFileSync(path, copy)
  const file = openSync(copy, 'r+')
  try {
    let at = 0
    // Ordered by position, and none twice, whatever a footer claims.
    for (const chunk of chunks.toSorted((a, b) => a.start - b.start))
      if (chunk.start >= at) at = unframe(file, chunk, footer.at)
    for (const { codec } of chunks) footer.bytes[codec] = RAW
    writeSync(file, footer.bytes, 0, footer.bytes.length, footer.at)
  } finally {
    closeSync(file)
  }
  return copy
}

function readFooter(path: string): { at: number; bytes: Buffer } | null {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const end = read(file, Math.max(0, size - 8), 8)
    const length = end.length < 8 || end.toString('latin1', 4) !== 'PAR1' ? size : end.readUInt32LE(0)
    const at = size - 8 - length
    return at < 4 ? null : { at, bytes: read(file, at, length) }
  } finally {
    closeSync(file)
  }
}

/** Empty when the footer is broken: the engine reports it. */
function findChunks(footer: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  const reader = new CompactReader(footer)
  const column = (): void => {
    let codec = -1
    let [values, data, dictionary] = [0, 0, 0]
    reader.struct((id, type) => {
      if (id === 4 && type === 5) {
        codec = reader.at
        reader.int()
      } else if (id === 5 && type === 6) values = reader.int()
      else if (id === 9 && type === 6) data = reader.int()
      else if (id === 11 && type === 6) dictionary = reader.int()
      else return false
      return true
    })
    const start = dictionary > 0 ? Math.min(dictionary, data) : data
    if (footer[codec] === HADOOP) chunks.push({ codec, start, values })
  }
  try {
    // Row groups, their columns, and the metadata of each.
    const columns = (id: number, type: number): boolean => id === 3 && type === 12 && (column(), true)
    const groups = (id: number, type: number): boolean => id === 1 && type === 9 && (reader.structs(columns), true)
    reader.struct((id, type) => id === 4 && type === 9 && (reader.structs(groups), true))
  } catch {
    return []
  }
  return chunks
}

/** Rewrites the pages of a chunk; returns where it ends. Broken parts stay as they are: the engine reports them. */
function unframe(file: number, chunk: Chunk, most: number): number {
  let at = chunk.start
  for (let values = 0; values < chunk.values && at < most;) {
    const page = readPage(file, at)
    if (page === null || page.packed < page.levels || at + page.header.length + page.packed > most) return most
    const { header, packed, levels } = page
    const content = page.plain ? null : read(file, at + header.length, packed)
    const block = content === null ? null : joinBlocks(content.subarray(levels), page.unpacked - levels)
    if (content !== null && block !== null) {
      const size = varint(2 * (levels + block.length))
      const start = Buffer.concat([header.subarray(0, page.sizeAt), size, header.subarray(page.sizeEnd, -1)])
      const room = header.length + packed - start.length - 1 - levels - block.length
      const parts = [start, Buffer.alloc(room, NOTHING), Buffer.alloc(1), content.subarray(0, levels), block]
      writeSync(file, Buffer.concat(parts), 0, header.length + packed, at)
    }
    values += page.values
    at += header.length + packed
  }
  return at
}

function readPage(file: number, at: number): Page | null {
  for (const most of HEADERS) {
    const reader = new CompactReader(read(file, at, most))
    let [kind, unpacked, packed, sizeAt, sizeEnd, values, levels] = [0, 0, 0, 0, 0, 0, 0]
    let plain = false
    try {
      reader.struct((id, type) => {
        if (id === 1 && type === 5) kind = reader.int()
        else if (id === 2 && type === 5) unpacked = reader.int()
        else if (id === 3 && type === 5) {
          sizeAt = reader.at
          packed = reader.int()
          sizeEnd = reader.at
        } else if ((id === 5 || id === 8) && type === 12)
          reader.struct((field, of) => {
            if (field === 1 && of === 5) values = reader.int()
            else if (id === 8 && (field === 5 || field === 6) && of === 5) levels += reader.int()
            else {
              if (id === 8 && field === 7) plain = of === 2
              return false
            }
            return true
          })
        else return false
        return true
      })
    } catch {
      continue
    }
    if (sizeAt === 0 || packed < 0 || levels < 0 || unpacked < levels) return null
    const header = reader.bytes.subarray(0, reader.at)
    return { header, sizeAt, sizeEnd, packed, unpacked, levels, plain, values: DATA_PAGES.includes(kind) ? values : 0 }
  }
  return null
}

function varint(number: number): Buffer {
  const bytes: number[] = []
  let left = number
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128)
  return Buffer.from([...bytes, left])
}

function read(file: number, at: number, most: number): Buffer {
  const bytes = Buffer.alloc(most)
  return bytes.subarray(0, readSync(file, bytes, 0, most, at))
}
