import { StringDecoder } from 'node:string_decoder'
import { pipeline, type Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'
import { openZip } from './open-zip.ts'
import { XmlScanner, type XmlEvents } from './xml-scanner.ts'

/** The parts of a spreadsheet file, which is a zip. Nothing is unpacked to disk, and nothing is kept in memory. */
export interface ZipParts extends AsyncDisposable {
  /** Names as in the archive, `/` between folders. */
  readonly names: readonly string[]
  /** Ignores case. */
  has(name: string): boolean
  /**
   * Reads a part as XML; stops reading once the scanner is stopped.
   * @throws {TableError} unreadable when it is missing, damaged or encrypted; too_large when it is a bomb
   */
  scan(name: string, events: XmlEvents, options?: ScanOptions): Promise<void>
}

export interface ScanOptions {
  readonly prefixes?: boolean
  readonly started?: (scanner: XmlScanner) => void
}

const ENTRY_LIMIT = 20_000
const PIECE = 256 * 1024
const GIB = 1024 ** 3
/** Bytes that one part may unpack to: sheets of a million rows have about 0.6 GB. */
const PART_LIMIT = 6 * GIB
/**
 * Anything that unpacks to more than this is checked for being a bomb; real sheets are compressed by a factor of 5 to
 * 100.
 */
const SUSPECT = 256 * 1024 * 1024
const SUSPECT_RATIO = 400

/** @throws {TableError} unreadable */
export async function openZipParts(path: string): Promise<ZipParts> {
  const zip = await openZip(path)
  if (zip === null) throw damaged()
  let entries: Map<string, Entry>
  try {
    entries = await readEntries(zip)
  } catch (error) {
    zip.close()
    throw error instanceof TableError ? error : damaged()
  }
  return {
    names: [...entries.values()].map(({ fileName }) => fileName),
    has: (name) => entries.has(name.toLowerCase()),
    async scan(name, events, { prefixes = false, started } = {}) {
      const entry = entries.get(name.toLowerCase())
      if (entry === undefined)
        throw new TableError('unreadable', say`This file is incomplete: its part "${name}" is missing.`)
      const scanner = new XmlScanner(events, { prefixes })
      started?.(scanner)
      for await (const text of textOf(zip, entry)) {
        scanner.push(text)
        if (scanner.stopped) return
      }
      scanner.end()
    },
    async [Symbol.asyncDispose]() {
      zip.close()
    },
  }
}

async function readEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > ENTRY_LIMIT)
    throw new TableError('too_large', say`This file has ${zip.entryCount} parts; at most ${ENTRY_LIMIT} can be read.`)
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry)
  return entries
}

async function* textOf(zip: ZipFile, entry: Entry): AsyncGenerator<string> {
  if (entry.isEncrypted())
    throw new TableError('unreadable', say`This file is protected by a password. Save it without one and try again.`)
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) throw damaged()
  let decoder: { write(bytes: Buffer): string; end(): string } | null = null
  let size = 0
  let check = 0
  try {
    const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false })
    for await (const piece of entry.compressionMethod === 8 ? inflated(raw) : (raw as AsyncIterable<Buffer>)) {
      size += piece.length
      if (size > PART_LIMIT || (size > SUSPECT && size > entry.compressedSize * SUSPECT_RATIO))
        throw new TableError('too_large', say`This file unpacks to far more than a spreadsheet can hold.`)
      check = crc32(piece, check)
      decoder ??= decoderFor(piece)
      yield decoder.write(piece)
    }
  } catch (error) {
    throw error instanceof TableError ? error : damaged()
  }
  if (check !== entry.crc32) throw damaged()
  yield decoder?.end() ?? ''
}

function inflated(raw: Readable): AsyncIterable<Buffer> {
  const inflate = createInflateRaw({ chunkSize: PIECE })
  // Errors surface when it is read.
  return pipeline(raw, inflate, () => {})
}

/** XML is UTF-8 unless it begins with the mark of UTF-16. */
function decoderFor(piece: Buffer): { write(bytes: Buffer): string; end(): string } {
  const utf16 =
    piece[0] === 0xff && piece[1] === 0xfe ? 'utf-16le' : piece[0] === 0xfe && piece[1] === 0xff ? 'utf-16be' : null
  // Unlike TextDecoder, this one produces strings of one byte per character where that suffices.
  if (utf16 === null) return new StringDecoder('utf8')
  const decoder = new TextDecoder(utf16)
  return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() }
}

function damaged(): TableError {
  return new TableError('unreadable', say`This file is cut off or damaged.`)
}
