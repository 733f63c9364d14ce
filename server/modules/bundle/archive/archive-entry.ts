import type { Entry } from 'yauzl'
import { say, type Sentence } from '../../../kernel/sentence.ts'
import { shownText } from '../manifest/shown-text.ts'
import { BundleError } from '../bundle-error.ts'
import { entryPath } from './entry-path.ts'

/** One checked entry of the archive's directory. Sizes and `offset` (of its local header) are in bytes. */
export interface ArchiveEntry {
  /** Without a trailing `/`. */
  readonly path: string
  readonly directory: boolean
  readonly executable: boolean
  readonly compressed: boolean
  readonly size: number
  readonly compressedSize: number
  readonly crc32: number
  readonly offset: number
  readonly rawName: Buffer
  /** Its sizes come after its data, not before. */
  readonly sizesBehind: boolean
}

const KINDS: Record<number, Sentence> = {
  0o010000: say`is a named pipe`,
  0o020000: say`is a device`,
  0o060000: say`is a device`,
  0o120000: say`is a symbolic link`,
  0o140000: say`is a socket`,
}
const REGULAR = 0o100000
const FOLDER = 0o040000

/**
 * @throws {BundleError} `bad_archive` for anything a bundle must not contain: links, devices, encrypted or unknown
 * content.
 */
export function archiveEntry(entry: Entry): ArchiveEntry {
  const path = entryPath(entry.fileNameRaw)
  const shown = shownText(path)
  const refuse = (problem: Sentence): never => {
    throw new BundleError('bad_archive', say`The entry “${shown}” ${problem}.`, shown)
  }
  const directory = path.endsWith('/')
  // Unix file type and permissions; zero when the archive was made elsewhere.
  const mode = entry.externalFileAttributes >>> 16
  const kind = mode & 0o170000
  if (KINDS[kind] !== undefined) refuse(KINDS[kind])
  if (kind !== 0 && kind !== REGULAR && kind !== FOLDER) refuse(say`is neither a file nor a folder`)
  if ((kind === FOLDER && !directory) || (kind === REGULAR && directory)) refuse(say`is both a file and a folder`)
  if (isEncrypted(entry)) refuse(say`is encrypted`)
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    refuse(say`uses the unsupported compression method ${entry.compressionMethod}: use “deflate” or “store”`)
  if (directory && entry.uncompressedSize !== 0) refuse(say`is a folder with content`)
  for (const { id, data } of entry.extraFields) {
    // The Unix field carries the target of a hard link after its 12 bytes of times and ids.
    if (id === 0x000d && data.length > 12) refuse(say`is a link`)
    // Some programs would unpack it under that other name.
    if (id === 0x7075 && data.length > 5 && !data.subarray(5).equals(entry.fileNameRaw)) refuse(say`has two names`)
  }
  return {
    path: directory ? path.slice(0, -1) : path,
    directory,
    executable: (mode & 0o111) !== 0,
    compressed: entry.compressionMethod === 8,
    size: entry.uncompressedSize,
    compressedSize: entry.compressedSize,
    crc32: entry.crc32,
    offset: entry.relativeOffsetOfLocalHeader,
    rawName: entry.fileNameRaw,
    sizesBehind: (entry.generalPurposeBitFlag & 0x8) !== 0,
  }
}

/** Bits 0 and 6: content is encrypted; bit 13: names are masked. */
function isEncrypted(entry: Entry): boolean {
  return (entry.generalPurposeBitFlag & 0x2041) !== 0
}
