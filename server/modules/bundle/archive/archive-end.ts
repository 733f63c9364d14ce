import { say, type Sentence } from '../../../kernel/sentence.ts'
import type { ArchiveReader } from './archive-reader.ts'
import { BundleError } from '../bundle-error.ts'

const END_SIZE = 22
const END_MARK = Buffer.from('PK\x05\x06', 'latin1')
const LOCATOR_SIZE = 20
const COMMENT_LIMIT = 0xffff

/** The contents of an archive's last record. Offsets are in bytes from the start of the file. */
export interface ArchiveEnd {
  /** Where the directory must end. */
  readonly directoryEnd: number
  readonly directoryStart: number
  readonly entries: number
}

/**
 * Reads the end record. There must be exactly one, at the very end, so that every program finds the same one however it
 * searches.
 * @throws {BundleError} `bad_archive`
 */
export async function readArchiveEnd(reader: ArchiveReader): Promise<ArchiveEnd> {
  if (reader.size < END_SIZE) throw notAnArchive()
  const tail = await reader.range(
    reader.size - Math.min(reader.size, END_SIZE + COMMENT_LIMIT),
    Math.min(reader.size, END_SIZE + COMMENT_LIMIT),
  )
  const at = tail.lastIndexOf(END_MARK)
  if (at === -1) throw notAnArchive()
  if (at + END_SIZE > tail.length) throw bad(say`The archive is cut off: its last record is incomplete.`)
  const comment = tail.readUInt16LE(at + 20)
  if (at + END_SIZE + comment !== tail.length) {
    throw bad(
      at + END_SIZE + comment < tail.length
        ? say`There is data after the end of the archive.`
        : say`The archive is cut off: its comment is incomplete.`,
    )
  }
  // A comment that holds a second end record is caught above as data after the end, or here as a second archive.
  const position = reader.size - tail.length + at
  if (tail.readUInt16LE(at + 4) !== 0 || tail.readUInt16LE(at + 6) !== 0)
    throw bad(say`The archive is one part of several. Pack it as a single file.`)
  const plain: ArchiveEnd = {
    entries: tail.readUInt16LE(at + 10),
    directoryStart: tail.readUInt32LE(at + 16),
    directoryEnd: position,
  }
  const size = tail.readUInt32LE(at + 12)
  const locator = position >= LOCATOR_SIZE ? await reader.range(position - LOCATOR_SIZE, LOCATOR_SIZE) : Buffer.alloc(4)
  if (locator.readUInt32LE(0) !== 0x07064b50) {
    if (tail.readUInt16LE(at + 8) !== plain.entries) throw bad(say`The archive gives two different numbers of entries.`)
    return settled(plain, size)
  }
  return settled(await largeEnd(reader, plain, size, locator.readBigUInt64LE(8), position), undefined)
}

/** Only some readers let the ZIP64 record override the plain one, so both must agree. */
async function largeEnd(
  reader: ArchiveReader,
  plain: ArchiveEnd,
  plainSize: number,
  at: bigint,
  end: number,
): Promise<ArchiveEnd> {
  if (at > BigInt(reader.size)) throw bad(say`The archive points past its own end.`)
  const record = await reader.range(Number(at), 56)
  if (record.readUInt32LE(0) !== 0x06064b50) throw bad(say`The ZIP64 record of the archive is missing.`)
  if (Number(at) + 12 + Number(record.readBigUInt64LE(4)) !== end - LOCATOR_SIZE)
    throw bad(say`The ZIP64 record of the archive is not directly before its end.`)
  const [onDisk, entries, size, start] = [24, 32, 40, 48].map((offset) => Number(record.readBigUInt64LE(offset))) as [
    number,
    number,
    number,
    number,
  ]
  const agree =
    onDisk === entries &&
    (plain.entries === 0xffff || plain.entries === entries) &&
    (plainSize === 0xffffffff || plainSize === size) &&
    (plain.directoryStart === 0xffffffff || plain.directoryStart === start)
  if (!agree || start + size !== Number(at))
    throw bad(say`The archive describes its directory in two different ways (ZIP64).`)
  return { entries, directoryStart: start, directoryEnd: Number(at) }
}

function settled(end: ArchiveEnd, size: number | undefined): ArchiveEnd {
  if (end.directoryStart > end.directoryEnd) throw bad(say`The archive points past its own end.`)
  if (size !== undefined && end.directoryStart + size !== end.directoryEnd)
    throw bad(say`There is data before the archive or after its directory.`)
  return end
}

function bad(detail: Sentence): BundleError {
  return new BundleError('bad_archive', detail)
}

function notAnArchive(): BundleError {
  return bad(say`This is not a ZIP archive, or it is cut off: it has no end record.`)
}
