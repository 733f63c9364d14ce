import type { ArchiveReader } from './archive-reader.ts'
import { BundleError } from './bundle-error.ts'

const END_SIZE = 22
const END_MARK = Buffer.from('PK\x05\x06', 'latin1')
const LOCATOR_SIZE = 20
const COMMENT_LIMIT = 0xffff

/** What the last record of an archive says. Offsets and sizes in bytes, from the start of the file. */
export interface ArchiveEnd {
  /** Where the directory has to end. */
  readonly directoryEnd: number
  readonly directoryStart: number
  readonly entries: number
}

/**
 * Reads the end record, of which there must be exactly one, at the very end: whoever looks for it in another way finds the same.
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
  if (at + END_SIZE > tail.length) throw bad('The archive is cut off: its last record is not whole.')
  const comment = tail.readUInt16LE(at + 20)
  if (at + END_SIZE + comment !== tail.length) {
    throw bad(
      at + END_SIZE + comment < tail.length
        ? 'There is data behind the end of the archive.'
        : 'The archive is cut off: its comment is not whole.',
    )
  }
  // A comment that holds a second end record is found above as "data behind the end" or here as a second archive.
  const position = reader.size - tail.length + at
  if (tail.readUInt16LE(at + 4) !== 0 || tail.readUInt16LE(at + 6) !== 0)
    throw bad('The archive is one part of several; pack it as one file.')
  const plain: ArchiveEnd = {
    entries: tail.readUInt16LE(at + 10),
    directoryStart: tail.readUInt32LE(at + 16),
    directoryEnd: position,
  }
  const size = tail.readUInt32LE(at + 12)
  const locator = position >= LOCATOR_SIZE ? await reader.range(position - LOCATOR_SIZE, LOCATOR_SIZE) : Buffer.alloc(4)
  if (locator.readUInt32LE(0) !== 0x07064b50) {
    if (tail.readUInt16LE(at + 8) !== plain.entries) throw bad('The archive counts its entries in two ways.')
    return settled(plain, size)
  }
  return settled(await largeEnd(reader, plain, size, locator.readBigUInt64LE(8), position), undefined)
}

/** The ZIP64 record overrules the plain one for some readers only, so both must say the same. */
async function largeEnd(
  reader: ArchiveReader,
  plain: ArchiveEnd,
  plainSize: number,
  at: bigint,
  end: number,
): Promise<ArchiveEnd> {
  if (at > BigInt(reader.size)) throw bad('The archive points behind its own end.')
  const record = await reader.range(Number(at), 56)
  if (record.readUInt32LE(0) !== 0x06064b50) throw bad('The ZIP64 record of the archive is missing.')
  if (Number(at) + 12 + Number(record.readBigUInt64LE(4)) !== end - LOCATOR_SIZE)
    throw bad('The ZIP64 record of the archive does not lie before its end.')
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
  if (!agree || start + size !== Number(at)) throw bad('The archive describes its directory in two ways (ZIP64).')
  return { entries, directoryStart: start, directoryEnd: Number(at) }
}

function settled(end: ArchiveEnd, size: number | undefined): ArchiveEnd {
  if (end.directoryStart > end.directoryEnd) throw bad('The archive points behind its own end.')
  if (size !== undefined && end.directoryStart + size !== end.directoryEnd)
    throw bad('There is data before the archive, or behind its directory.')
  return end
}

function bad(message: string): BundleError {
  return new BundleError('bad_archive', message)
}

function notAnArchive(): BundleError {
  return bad('This is not a ZIP archive, or it is cut off: it has no end record.')
}
