import { rename, rm, stat } from 'node:fs/promises'
import { RowSum } from '../../db/snapshot/row-sum.ts'
import type { Row, SnapshotTable } from '../../db/snapshot/snapshot.ts'
import { type ArchiveWriter, writeArchive } from './archive-writer.ts'
import { BACKUP_FORMAT, type BackupManifest } from './backup-manifest.ts'
import type { BackupSource, Progress, StoredBytes } from './backup-source.ts'
import { folderEntries } from './folder-entries.ts'
import { tableLines } from './table-lines.ts'
import { verifyBackup } from './verify-backup.ts'

/** Media types that are compressed already and do not get smaller. */
const PACKED = /^(image|video|audio)\/(?!svg)|zip|gzip|officedocument|pdf/

export interface BackupOptions {
  /** Path of the new archive. */
  readonly target: string
  /** Afterwards restore it into a scratch folder and compare. */
  readonly verify: boolean
  readonly progress: Progress
}

export interface BackupReport {
  readonly file: string
  readonly bytes: number
  readonly taken_at: string
  readonly tables: number
  readonly rows: number
  readonly files: number
  readonly packages: number
  readonly missing: readonly string[]
  readonly verified: boolean
  readonly key_included: boolean
}

/** Ids of stored bytes named by the rows of a snapshot. */
interface Named {
  readonly files: Map<string, { media_type: string }>
  readonly packages: Set<string>
}

/**
 * Takes a backup of a service that may be running: one snapshot of the database and the stored bytes it names, as one
 * archive. It appears under its name once it is complete (and verified), or not at all.
 * @throws {BackupProblem}
 */
export async function takeBackup(source: BackupSource, options: BackupOptions): Promise<BackupReport> {
  const { target, progress } = options
  const unfinished = `${target}.unfinished`
  await rm(unfinished, { force: true })
  try {
    const manifest = await writeBackup(source, unfinished, progress)
    if (options.verify) await verifyBackup(unfinished, progress)
    await rename(unfinished, target)
    const bytes = (await stat(target)).size
    await source.taken(manifest.taken_at, bytes, target)
    const count = (folder: string) => manifest.entries.filter(({ path }) => path.startsWith(`${folder}/`)).length
    return {
      file: target,
      bytes,
      taken_at: new Date(manifest.taken_at).toISOString(),
      tables: manifest.tables.length,
      rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
      files: count('files'),
      packages: count('packages'),
      missing: manifest.missing,
      verified: options.verify,
      key_included: manifest.key.included,
    }
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

async function writeBackup(source: BackupSource, file: string, progress: Progress): Promise<BackupManifest> {
  // Held from before the snapshot is taken until the last byte it names is read.
  await using _held = await source.hold()
  const taken_at = Date.now()
  const archive = writeArchive(file)
  try {
    const { named, ...ofDatabase } = await writeTables(archive, source, progress)
    const missing = [
      ...(await writeStored(archive, 'files', source.files, named.files, progress)),
      ...(await writeStored(
        archive,
        'packages',
        source.packages,
        new Map([...named.packages].map((id) => [id, null])),
        progress,
      )),
    ]
    for (const { path, folder } of source.folders)
      for await (const entry of folderEntries(folder))
        await archive.add(`folders/${path}/${entry.path}`, entry.bytes(), { pack: true })
    const { fingerprint, text } = source.key
    if (text !== null) await archive.add('secret.key', once(text))
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      product: 'reeve',
      reeve_version: source.reeveVersion,
      taken_at,
      database: source.database,
      ...ofDatabase,
      key: { fingerprint, included: text !== null },
      entries: [...archive.entries],
      missing,
    }
    await archive.finish('manifest.json', JSON.stringify(manifest))
    return manifest
  } catch (error) {
    await archive.abandon()
    throw error
  }
}

async function writeTables(archive: ArchiveWriter, source: BackupSource, progress: Progress) {
  // Closed before the files are read, which may take hours, because an open snapshot keeps a database from cleaning up.
  await using snapshot = await source.snapshot()
  const named: Named = { files: new Map(), packages: new Set() }
  const tables: BackupManifest['tables'] = []
  for (const [index, table] of snapshot.tables.entries()) {
    progress({ doing: `table ${table.name}`, done: index, of: snapshot.tables.length })
    const sum = new RowSum()
    await archive.add(`tables/${table.name}.ndjson`, tableLines(snapshot, table, sum, collector(table, named)), {
      pack: true,
    })
    tables.push({ name: table.name, columns: [...table.columns], ...sum.result() })
  }
  return { tables, named, migrations: [...snapshot.migrations], counters: { ...snapshot.counters } }
}

/** Collects which stored bytes the rows of a table name. */
function collector({ name, columns }: SnapshotTable, named: Named): ((row: Row) => void) | undefined {
  const at = (column: string) => columns.indexOf(column)
  if (name === 'file') {
    // Before files shared their contents, each was stored under its own id.
    const [id, type] = [columns.includes('stored_as') ? at('stored_as') : at('file_id'), at('media_type')]
    return (row) => named.files.set(String(row[id]), { media_type: String(row[type]) })
  }
  if (name === 'module_version')
    return (row) => named.packages.add(String((at('stored_as') < 0 ? null : row[at('stored_as')]) ?? row[at('digest')]))
  if (name === 'module_backup') return (row) => named.packages.add(String(row[at('stored_as')]))
  return undefined
}

/** Returns the ids missing from the store: a backup of the rest is better than none. */
async function writeStored(
  archive: ArchiveWriter,
  folder: 'files' | 'packages',
  store: StoredBytes,
  ids: ReadonlyMap<string, { media_type: string } | null>,
  progress: Progress,
): Promise<string[]> {
  const missing: string[] = []
  let done = 0
  for (const [id, about] of ids) {
    progress({ doing: folder, done: done++, of: ids.size })
    if ((await store.size(id)) === null) missing.push(`${folder}/${id}`)
    else
      await archive.add(`${folder}/${id}`, store.read(id), { pack: about !== null && !PACKED.test(about.media_type) })
  }
  return missing
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
