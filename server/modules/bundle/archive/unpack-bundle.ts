import { createHash } from 'node:crypto'
import { chmod, mkdir, open, readFile, readdir, type FileHandle } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { MODULE_SIZE_LIMIT } from '../../../../contract/modules.ts'
import { say } from '../../../kernel/sentence.ts'
import { ArchiveReader } from './archive-reader.ts'
import { BundleError } from '../bundle-error.ts'
import { moduleSlug } from '../manifest/module-slug.ts'
import { parseManifest } from '../manifest/parse-manifest.ts'
import { readArchive, type ArchiveLimits, type LocatedEntry } from './read-archive.ts'
import { readSignatureBlock } from '../signature/signature-block.ts'
import { shownText } from '../manifest/shown-text.ts'
import type { NativeFile, UnpackedBundle } from './unpacked-bundle.ts'
import { checkSignature } from '../signature/verify-signature.ts'
import { writeEntry } from './write-entry.ts'

/** Limits in bytes, and whose signatures are trusted. */
export interface UnpackOptions extends Partial<ArchiveLimits> {
  readonly packedBytes?: number
  /** SHA-256 fingerprints of trusted certificates, lower-case hexadecimal digits. */
  readonly trustedFingerprints?: readonly string[]
}

const MIB = 1024 * 1024
export const UNPACK_LIMITS: ArchiveLimits = {
  unpackedBytes: 1024 * MIB,
  entries: 50_000,
  ratio: 200,
  ratioFrom: 10 * MIB,
}
const MANIFEST_LIMIT = MIB

/**
 * Checks the packed bundle `packed` and writes its files into the empty folder `folder`, which is then made read-only.
 * @throws {BundleError} naming the entry and the reason; the caller must then remove the folder (with `removeTree`).
 */
export async function unpackBundle(
  packed: string,
  folder: string,
  options: UnpackOptions = {},
): Promise<UnpackedBundle> {
  const { packedBytes = MODULE_SIZE_LIMIT, trustedFingerprints = [], ...limits } = options
  await using file = await open(packed, 'r')
  const { size } = await file.stat()
  if (size > packedBytes)
    throw new BundleError('payload_too_large', say`A bundle can be at most ${Math.floor(packedBytes / MIB)} MiB.`)
  const block = await readSignatureBlock(file, size)
  const reader = new ArchiveReader(file, block)
  const entries = await readArchive(reader, { ...UNPACK_LIMITS, ...limits })
  checkManifestEntry(entries)
  if ((await readdir(folder)).length > 0) throw new Error('The folder to unpack into is not empty.')
  const { files, natives } = await writeAll(reader, entries, folder)
  const manifest = parseManifest(await readFile(join(folder, 'manifest.json')))
  return {
    digest: await hashFile(file, size),
    size,
    manifest,
    slug: moduleSlug(manifest.name),
    files,
    natives,
    signature: await checkSignature(file, block, trustedFingerprints),
  }
}

function checkManifestEntry(entries: readonly LocatedEntry[]): void {
  const manifest = entries.find(({ path }) => path === 'manifest.json')
  if (manifest !== undefined) {
    if (manifest.directory) throw new BundleError('bad_manifest', say`“manifest.json” is a folder.`, 'manifest.json')
    if (manifest.size <= MANIFEST_LIMIT) return
    throw new BundleError('bad_manifest', say`“manifest.json” is larger than 1 MiB.`, 'manifest.json')
  }
  const other = entries.find(({ path }) => path.toLowerCase() === 'manifest.json')
  if (other !== undefined)
    throw new BundleError(
      'bad_manifest',
      say`The manifest must be named “manifest.json”, not “${shownText(other.path)}”.`,
      other.path,
    )
  const nested = entries.find(({ path }) => /^[^/]+\/manifest\.json$/.test(path))
  if (nested === undefined) throw new BundleError('bad_manifest', say`There is no “manifest.json” in the bundle.`)
  throw new BundleError(
    'bad_manifest',
    say`The manifest is one folder down, at “${shownText(nested.path)}”. Pack the contents of that folder, not the folder itself.`,
    nested.path,
  )
}

async function writeAll(reader: ArchiveReader, entries: readonly LocatedEntry[], folder: string) {
  const folders = new Set<string>()
  for (const { path, directory } of entries) {
    for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
      folders.add(path.slice(0, slash))
    if (directory) folders.add(path)
  }
  const sorted = [...folders].sort()
  for (const path of sorted) await mkdir(join(folder, path), { mode: 0o755 })
  const hashes = new Map<string, string>()
  const natives: NativeFile[] = []
  const queue = entries.filter((entry) => !entry.directory).values()
  const failures: unknown[] = []
  await Promise.all(
    Array.from({ length: Math.min(8, availableParallelism() * 2) }, async () => {
      for (const entry of queue) {
        if (failures.length > 0) return
        try {
          const { sha256, native } = await writeEntry(reader, entry, folder)
          hashes.set(entry.path, sha256)
          if (native !== null) natives.push(native)
        } catch (error) {
          failures.push(error)
        }
      }
    }),
  )
  // Thrown only once all writers have stopped, because the caller then removes the folder.
  if (failures.length > 0) throw failures[0]
  for (const path of sorted.reverse()) await chmod(join(folder, path), 0o555)
  await seal(folder)
  natives.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files: Object.fromEntries([...hashes].sort(([a], [b]) => (a < b ? -1 : 1))), natives }
}

async function seal(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.chmod(0o555)
  await handle.sync()
}

async function hashFile(file: FileHandle, size: number): Promise<string> {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(MIB)
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at)
    if (bytesRead === 0) throw new BundleError('bad_archive', say`The bundle changed while it was being read.`)
    hash.update(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
  return hash.digest('hex')
}
