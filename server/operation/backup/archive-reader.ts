import { createHash } from 'node:crypto'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { BACKUP_FORMAT, type BackupEntry, BackupManifest } from './backup-manifest.ts'
import { BackupProblem } from './backup-problem.ts'

const MANIFEST = 'manifest.json'
const MANIFEST_LIMIT = 512 * 1024 * 1024

/** A backup being read: what its manifest names, and nothing else in the archive. */
export interface ArchiveReader extends Disposable {
  readonly manifest: BackupManifest
  /** The bytes of an entry. @throws {BackupProblem} after the last one if they do not match the manifest */
  read(entry: BackupEntry): AsyncIterable<Uint8Array>
}

/** @throws {BackupProblem} when it isn't a complete backup, or comes from a newer Reeve */
export async function readArchive(file: string): Promise<ArchiveReader> {
  const zip = await openPromise(file, { autoClose: false }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BackupProblem(`There is no file ${file}.`)
    throw new BackupProblem(`${file} is not a backup, or not a complete one: ${error.message}.`, { cause: error })
  })
  try {
    const found = new Map<string, Entry>()
    for await (const entry of zip.eachEntry()) found.set(entry.fileName, entry)
    const manifest = await readManifest(file, zip, found.get(MANIFEST))
    for (const { path } of manifest.entries)
      if (!found.has(path)) throw new BackupProblem(`${file} is damaged: ${path} is missing from it.`)
    return {
      manifest,
      read: (entry) => checked(file, entry, pieces(zip, found.get(entry.path)!)),
      [Symbol.dispose]: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    if (error instanceof BackupProblem) throw error
    throw new BackupProblem(`${file} is damaged: ${(error as Error).message}.`, { cause: error })
  }
}

async function readManifest(file: string, zip: ZipFile, entry: Entry | undefined): Promise<BackupManifest> {
  if (entry === undefined || entry.uncompressedSize > MANIFEST_LIMIT)
    throw new BackupProblem(`${file} is not a Reeve backup: it has no manifest.json.`)
  const parts: Uint8Array[] = []
  for await (const piece of pieces(zip, entry)) parts.push(piece)
  const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'))
  const format = (value as { format?: unknown } | null)?.format
  if (typeof format === 'number' && format > BACKUP_FORMAT)
    throw new BackupProblem(`${file} was written by a newer Reeve. Restore it with that version.`)
  const parsed = BackupManifest.safeParse(value)
  if (parsed.success) return parsed.data
  throw new BackupProblem(`${file} is not a Reeve backup: its manifest.json is not usable.`)
}

async function* pieces(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  for await (const piece of await zip.openReadStreamPromise(entry)) yield piece as Uint8Array
}

async function* checked(
  file: string,
  { path, size, sha256 }: BackupEntry,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let read = 0
  const damaged = (cause?: unknown) =>
    new BackupProblem(`${file} is damaged: ${path} is not what was backed up. Take another backup.`, { cause })
  const iterator = bytes[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await iterator.next().catch((error: unknown) => {
      throw damaged(error)
    })
    if (done) break
    hash.update(value)
    read += value.byteLength
    yield value
  }
  if (read !== size || hash.digest('hex') !== sha256) throw damaged()
}
