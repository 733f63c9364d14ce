import { open, type FileHandle } from 'node:fs/promises'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'

const HEADER = 512
const ENTRY = 128
const NAME = 64
/** Numbers from here on end a chain. */
const CHAIN_END = 0xfffffffa
const FIRST_TABLES = 109
const STREAM = 2
const ROOT = 5

interface Entry {
  readonly name: string
  readonly type: number
  readonly start: number
  readonly size: number
}

/**
 * A stream of a compound file, the container of formats before 2007: a small file system of sectors, chained by an
 * allocation table. Returns the first of `names` (lower case) that exists, ignoring case; null when none does. A chain
 * that loops or leaves the file ends the reading.
 * @throws {TableError} unreadable, too_large (more than `limit` bytes)
 */
export async function readCompoundStream(
  path: string,
  names: readonly string[],
  limit: number,
): Promise<Buffer | null> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    return await new CompoundFile(file, size, limit).stream(names)
  } finally {
    await file.close()
  }
}

class CompoundFile {
  readonly #file: FileHandle
  readonly #size: number
  readonly #limit: number
  #sector = HEADER

  constructor(file: FileHandle, size: number, limit: number) {
    this.#file = file
    this.#size = size
    this.#limit = limit
  }

  async stream(names: readonly string[]): Promise<Buffer | null> {
    const header = await this.#read(0, HEADER)
    const shift = header.readUInt16LE(30)
    if (shift !== 9 && shift !== 12) throw broken()
    this.#sector = 2 ** shift
    const table = await this.#table(header)
    const entries = entriesOf(await this.#chain(header.readUInt32LE(48), table, null))
    const found = names
      .map((name) => entries.find((entry) => entry.type === STREAM && entry.name.toLowerCase() === name))
      .find((entry) => entry !== undefined)
    if (found === undefined) return null
    if (found.size > this.#limit) throw new TableError('too_large', say`This workbook holds more than can be read.`)
    if (found.size >= header.readUInt32LE(56)) return this.#chain(found.start, table, found.size)
    // Small streams are in a stream of their own, in sectors of 64 bytes.
    const root = entries.find(({ type }) => type === ROOT)
    if (root === undefined) throw broken()
    const small = await this.#chain(root.start, table, null)
    const smallTable = numbers(await this.#chain(header.readUInt32LE(60), table, null))
    return walk(found.start, smallTable, 2 ** header.readUInt16LE(32), found.size, (at, length) =>
      small.subarray(at, at + length),
    )
  }

  /** Which sector follows which. */
  async #table(header: Buffer): Promise<Uint32Array> {
    const places: number[] = []
    for (let n = 0; n < FIRST_TABLES; n++) places.push(header.readUInt32LE(76 + 4 * n))
    const most = this.#size / this.#sector
    let next = header.readUInt32LE(68)
    for (let n = 0; next < CHAIN_END && n <= most; n++) {
      const more = numbers(await this.#read((next + 1) * this.#sector, this.#sector))
      places.push(...more.subarray(0, -1))
      next = more.at(-1)!
    }
    const used = places.filter((place) => place < CHAIN_END)
    if (used.length > most) throw broken()
    const parts: Buffer[] = []
    for (const place of used) parts.push(await this.#read((place + 1) * this.#sector, this.#sector))
    return numbers(Buffer.concat(parts))
  }

  /** `size` null: as long as the chain continues. */
  async #chain(start: number, table: Uint32Array, size: number | null): Promise<Buffer> {
    const parts: Buffer[] = []
    let left = size ?? Math.min(this.#limit, this.#size)
    const most = this.#size / this.#sector
    for (let sector = start, n = 0; sector < CHAIN_END && left > 0; sector = table[sector] ?? CHAIN_END, n++) {
      if (n > most) throw broken()
      const part = await this.#read((sector + 1) * this.#sector, Math.min(this.#sector, left))
      parts.push(part)
      left -= part.length
    }
    if (size !== null && left > 0) throw broken()
    return Buffer.concat(parts)
  }

  async #read(at: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length)
    const { bytesRead } = await this.#file.read(buffer, 0, length, at)
    if (bytesRead < length) throw broken()
    return buffer
  }
}

function walk(
  start: number,
  table: Uint32Array,
  sector: number,
  size: number,
  read: (at: number, length: number) => Buffer,
): Buffer {
  const parts: Buffer[] = []
  let left = size
  for (let at = start, n = 0; at < CHAIN_END && left > 0; at = table[at] ?? CHAIN_END, n++) {
    const part = read(at * sector, Math.min(sector, left))
    if (part.length === 0 || n > table.length) throw broken()
    parts.push(part)
    left -= part.length
  }
  if (left > 0) throw broken()
  return Buffer.concat(parts)
}

function entriesOf(directory: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at + ENTRY <= directory.length; at += ENTRY) {
    const length = directory.readUInt16LE(at + NAME)
    entries.push({
      name: length > 2 && length <= NAME ? directory.toString('utf16le', at, at + length - 2) : '',
      type: directory[at + 66]!,
      start: directory.readUInt32LE(at + 116),
      size: directory.readUInt32LE(at + 120),
    })
  }
  return entries
}

function numbers(bytes: Buffer): Uint32Array {
  const found = new Uint32Array(Math.floor(bytes.length / 4))
  for (let i = 0; i < found.length; i++) found[i] = bytes.readUInt32LE(i * 4)
  return found
}

function broken(): TableError {
  return new TableError('unreadable', say`This workbook is damaged: it ends too early or refers to missing parts.`)
}
