import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { say } from '../../../kernel/sentence.ts'
import { storageFailure } from '../../../kernel/storage-failure.ts'
import { ArchiveReader } from '../../bundle/archive/archive-reader.ts'
import { readArchive } from '../../bundle/archive/read-archive.ts'
import { writeEntry } from '../../bundle/archive/write-entry.ts'
import { BundleError } from '../../bundle/bundle-error.ts'
import { noRoom } from '../fetching.ts'
import { SourceError } from '../source-error.ts'

export interface UnpackBudget {
  readonly unpackedBytes: number
  readonly files: number
}

/**
 * Writes the modules of a wheel into `folder`, and says how much that was. Its programs, headers and other data are left out.
 * Of two wheels that bring the same file the first one has it: `taken` knows what is there. @throws {SourceError}
 */
export async function unpackWheel(
  wheel: string,
  folder: string,
  {
    name,
    left,
    taken,
    signal,
  }: { readonly name: string; left: UnpackBudget; readonly taken: Set<string>; readonly signal: AbortSignal },
): Promise<UnpackBudget> {
  await using file = await open(wheel)
  const { size } = await file.stat()
  const reader = new ArchiveReader(file, { contentEnd: size, der: null, patched: null })
  try {
    const limits = { unpackedBytes: left.unpackedBytes, entries: left.files, ratio: 1000, ratioFrom: 10 * 1024 * 1024 }
    const entries = (await readArchive(reader, limits)).filter(({ directory }) => !directory)
    let bytes = 0
    for (const entry of entries) {
      signal.throwIfAborted()
      bytes += entry.size
      const path = placeOf(entry.path)
      if (path === null || taken.has(path)) continue
      taken.add(path)
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeEntry(reader, { ...entry, path }, folder)
    }
    return { unpackedBytes: left.unpackedBytes - bytes, files: left.files - entries.length }
  } catch (error) {
    if (storageFailure(error) === 'full') throw noRoom(error)
    if (error instanceof BundleError && error.code === 'archive_too_large')
      throw new SourceError('source_too_large', error.detail, { cause: error })
    if (error instanceof BundleError || (error as NodeJS.ErrnoException).code !== undefined)
      throw new SourceError('source_refused', say`The archive of ${name} cannot be unpacked.`, { cause: error })
    throw error
  }
}

/** Where a file of a wheel lies among the modules; null for what is none of them (`*.data`, by its kinds). */
function placeOf(path: string): string | null {
  const data = /^[^/]+\.data\/([^/]+)\/(.+)$/.exec(path)
  if (data === null) return path
  return data[1] === 'purelib' || data[1] === 'platlib' ? data[2]! : null
}
