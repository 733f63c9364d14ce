import { fromRandomAccessReaderPromise, type Entry } from 'yauzl'
import { say } from '../../../kernel/sentence.ts'
import { readArchiveEnd } from './archive-end.ts'
import { archiveEntry, type ArchiveEntry } from './archive-entry.ts'
import { locateData } from './archive-layout.ts'
import type { ArchiveReader } from './archive-reader.ts'
import { BundleError } from '../bundle-error.ts'
import { openPathRegister } from './path-register.ts'
import { shownText } from '../manifest/shown-text.ts'

export interface ArchiveLimits {
  readonly unpackedBytes: number
  readonly entries: number
  /** Unpacked bytes per packed byte, for whole archives and entries of at least `ratioFrom` bytes. */
  readonly ratio: number
  readonly ratioFrom: number
}

export interface LocatedEntry extends ArchiveEntry {
  /** Offset of its packed data. */
  readonly dataStart: number
}

/**
 * Returns all entries of an archive in the order of their data, after every check that needs no unpacking.
 * @throws {BundleError} `bad_archive` or `archive_too_large`
 */
export async function readArchive(reader: ArchiveReader, limits: ArchiveLimits): Promise<LocatedEntry[]> {
  const end = await readArchiveEnd(reader)
  if (end.entries > limits.entries) throw tooMany(limits.entries)
  try {
    const zip = await fromRandomAccessReaderPromise(reader, reader.size, { autoClose: false, decodeStrings: false })
    const raw: Entry[] = []
    for await (const entry of zip.eachEntry()) raw.push(entry)
    const entries = checkDirectory(raw, limits)
    if (Number(zip.readEntryCursor) !== end.directoryEnd)
      throw new BundleError(
        'bad_archive',
        say`There is data after the directory of the archive, or it lists too few entries.`,
      )
    const order = entries.map((_, index) => index).sort((a, b) => entries[a]!.offset - entries[b]!.offset)
    if (order.length > 0 && entries[order[0]!]!.offset !== 0)
      throw new BundleError('bad_archive', say`There is data before the archive.`)
    const located: LocatedEntry[] = []
    for (const [place, index] of order.entries()) {
      const entry = entries[index]!
      const following = order[place + 1]
      const next = following === undefined ? end.directoryStart : entries[following]!.offset
      const local = await zip.readLocalFileHeaderPromise(raw[index]!)
      located.push({ ...entry, dataStart: await locateData(reader, entry, local, next) })
    }
    return located
  } catch (error) {
    if (error instanceof BundleError) throw error
    // yauzl, or a read past the end of a buffer, found the archive damaged.
    const why = shownText(error instanceof Error ? error.message : String(error))
    throw new BundleError('bad_archive', say`The archive is damaged (${why}).`)
  }
}

function checkDirectory(raw: readonly Entry[], limits: ArchiveLimits): ArchiveEntry[] {
  const paths = openPathRegister(limits.entries)
  let total = 0
  let packed = 0
  const entries = raw.map((each) => {
    const entry = archiveEntry(each)
    paths.add(entry.path, entry.directory)
    total += entry.size
    packed += entry.compressedSize
    if (entry.size >= limits.ratioFrom && entry.size > entry.compressedSize * limits.ratio)
      throw new BundleError(
        'archive_too_large',
        say`The entry “${shownText(entry.path)}” unpacks to more than ${limits.ratio} times its packed size.`,
        entry.path,
      )
    return entry
  })
  if (total > limits.unpackedBytes)
    throw new BundleError(
      'archive_too_large',
      say`It would unpack to ${Math.ceil(total / 1048576)} MiB; at most ${Math.floor(limits.unpackedBytes / 1048576)} MiB are allowed.`,
    )
  if (total >= limits.ratioFrom && total > packed * limits.ratio)
    throw new BundleError(
      'archive_too_large',
      say`The archive unpacks to more than ${limits.ratio} times its packed size.`,
    )
  return entries
}

function tooMany(limit: number): BundleError {
  return new BundleError('archive_too_large', say`The archive contains more than ${limit} entries.`)
}
