import { parseExtraFields, type LocalFileHeader } from 'yauzl'
import { shownText } from './shown-text.ts'
import type { ArchiveEntry } from './archive-entry.ts'
import type { ArchiveReader } from './archive-reader.ts'
import { BundleError } from './bundle-error.ts'

const BEHIND_MARK = 0x08074b50

/**
 * Where the data of one entry begins, after comparing its local header with the directory. The whole archive has to be tiled by its
 * entries: nothing before, between, behind or shared, so that every program that unpacks it finds the same files. `end` is where the
 * next entry, or the directory, begins.
 * @throws {BundleError} `bad_archive`
 */
export async function locateData(
  reader: ArchiveReader,
  entry: ArchiveEntry,
  local: LocalFileHeader,
  end: number,
): Promise<number> {
  const shown = shownText(entry.path)
  const refuse = (problem: string): never => {
    throw new BundleError('bad_archive', `The entry “${shown}” ${problem}.`, shown)
  }
  if (!local.fileName.equals(entry.rawName)) refuse('has another name before its data than in the directory')
  const compressed = local.compressionMethod === 8
  if ((local.compressionMethod !== 0 && !compressed) || compressed !== entry.compressed)
    refuse('is packed in another way than the directory says')
  if ((local.generalPurposeBitFlag & 0x2041) !== 0) refuse('is encrypted')
  if (((local.generalPurposeBitFlag & 0x8) !== 0) !== entry.sizesBehind)
    refuse('says something else about its sizes than the directory')
  const sizes = localSizes(local)
  const same = sizes.size === entry.size && sizes.compressedSize === entry.compressedSize && local.crc32 === entry.crc32
  const none = sizes.size === 0 && sizes.compressedSize === 0 && local.crc32 === 0
  // Writers that do not know the sizes yet leave them zero, or say "see the ZIP64 field" and leave that zero.
  if (!same && !(entry.sizesBehind && none)) refuse('has other sizes before its data than in the directory')
  const gap = end - (local.fileDataStart + entry.compressedSize)
  if (gap < 0) refuse('overlaps with another')
  // Some writers promise sizes behind empty entries and write none.
  if (gap === 0 && same) return local.fileDataStart
  if (!entry.sizesBehind || ![12, 16, 20, 24].includes(gap)) refuse('has unknown data behind it')
  const behind = await reader.range(end - gap, gap)
  if (!describes(behind, entry)) refuse('has other sizes behind its data than in the directory')
  return local.fileDataStart
}

function localSizes(local: LocalFileHeader): { size: number; compressedSize: number } {
  let { uncompressedSize: size, compressedSize } = local
  if (size !== 0xffffffff && compressedSize !== 0xffffffff) return { size, compressedSize }
  const data = parseExtraFields(local.extraField).find(({ id }) => id === 1)?.data
  let at = 0
  const next = (): number => {
    if (data === undefined || at + 8 > data.length) return -1
    at += 8
    return Number(data.readBigUInt64LE(at - 8))
  }
  if (size === 0xffffffff) size = next()
  if (compressedSize === 0xffffffff) compressedSize = next()
  return { size, compressedSize }
}

function describes(behind: Buffer, entry: ArchiveEntry): boolean {
  const marked = behind.length === 16 || behind.length === 24
  if (marked && behind.readUInt32LE(0) !== BEHIND_MARK) return false
  const at = marked ? 4 : 0
  const wide = behind.length - at === 20
  const read = (offset: number): number => (wide ? Number(behind.readBigUInt64LE(offset)) : behind.readUInt32LE(offset))
  return (
    behind.readUInt32LE(at) === entry.crc32 &&
    read(at + 4) === entry.compressedSize &&
    read(at + (wide ? 12 : 8)) === entry.size
  )
}
