import { parseExtraFields, type LocalFileHeader } from 'yauzl'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { shownText } from '../manifest/shown-text.ts'
import type { ArchiveEntry } from './archive-entry.ts'
import type { ArchiveReader } from './archive-reader.ts'
import { BundleError } from '../bundle-error.ts'

const BEHIND_MARK = 0x08074b50

/**
 * Compares an entry's local header with the directory and returns where its data begins. The entries must tile the
 * whole archive, with nothing before, between or after them and nothing shared, so that every program unpacks the same
 * files. `end` is where the next entry or the directory begins.
 * @throws {BundleError} `bad_archive`
 */
export async function locateData(
  reader: ArchiveReader,
  entry: ArchiveEntry,
  local: LocalFileHeader,
  end: number,
): Promise<number> {
  const shown = shownText(entry.path)
  const refuse = (problem: Sentence): never => {
    throw new BundleError('bad_archive', say`The entry “${shown}” ${problem}.`, shown)
  }
  if (!local.fileName.equals(entry.rawName)) refuse(say`has a different name before its data than in the directory`)
  const compressed = local.compressionMethod === 8
  if ((local.compressionMethod !== 0 && !compressed) || compressed !== entry.compressed)
    refuse(say`is not compressed the way the directory says`)
  if ((local.generalPurposeBitFlag & 0x2041) !== 0) refuse(say`is encrypted`)
  if (((local.generalPurposeBitFlag & 0x8) !== 0) !== entry.sizesBehind)
    refuse(say`contradicts the directory about its sizes`)
  const sizes = localSizes(local)
  const same = sizes.size === entry.size && sizes.compressedSize === entry.compressedSize && local.crc32 === entry.crc32
  const none = sizes.size === 0 && sizes.compressedSize === 0 && local.crc32 === 0
  // Writers that don't know the sizes yet leave them zero, or refer to the ZIP64 field and leave that zero.
  if (!same && !(entry.sizesBehind && none)) refuse(say`has different sizes before its data than in the directory`)
  const gap = end - (local.fileDataStart + entry.compressedSize)
  if (gap < 0) refuse(say`overlaps another entry`)
  // Some writers announce sizes after an empty entry and then write none.
  if (gap === 0 && same) return local.fileDataStart
  if (!entry.sizesBehind || ![12, 16, 20, 24].includes(gap)) refuse(say`is followed by unknown data`)
  const behind = await reader.range(end - gap, gap)
  if (!describes(behind, entry)) refuse(say`has different sizes after its data than in the directory`)
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
