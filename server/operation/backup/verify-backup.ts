import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openScratchDatabase } from '../../db/snapshot/scratch-database.ts'
import { readArchive, type ArchiveReader } from './archive-reader.ts'
import type { BackupManifest } from './backup-manifest.ts'
import { BackupProblem } from './backup-problem.ts'
import type { Progress } from './backup-source.ts'
import { loadArchive } from './load-archive.ts'

/**
 * Proves that a backup can be restored: its tables are loaded into a separate database next to it and compared with the
 * snapshot's counts, and every stored file and package is read and compared with its row.
 * @throws {BackupProblem} naming what is wrong
 */
export async function verifyBackup(file: string, progress: Progress): Promise<BackupManifest> {
  using archive = await readArchive(file)
  // Next to the archive: where it fits, its database fits as well, which may not be true of /tmp.
  const folder = await mkdtemp(join(dirname(file), '.verifying-'))
  try {
    await using scratch = openScratchDatabase(join(folder, 'reeve.db'))
    await loadArchive(scratch.db, scratch.dialect, archive, () => scratch.snapshot(), progress)
    await compareStored(archive, await scratch.storedFiles(), progress)
    return archive.manifest
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads every entry that isn't a table: its digest must match the manifest, and a file's also its row. */
async function compareStored(
  archive: ArchiveReader,
  rows: ReadonlyMap<string, { size: number; sha256: string }>,
  progress: Progress,
): Promise<void> {
  const entries = archive.manifest.entries.filter(({ path }) => !path.startsWith('tables/'))
  const there = new Set(entries.map(({ path }) => path))
  const missing = new Set(archive.manifest.missing)
  for (const id of rows.keys())
    if (!there.has(`files/${id}`) && !missing.has(`files/${id}`))
      throw new BackupProblem(`The backup is incomplete: the stored file ${id} is not in it.`)
  for (const [index, entry] of entries.entries()) {
    progress({ doing: 'reading it again', done: index, of: entries.length })
    for await (const _piece of archive.read(entry));
    const [folder, id = ''] = entry.path.split('/')
    // Its id begins with its digest.
    if (folder === 'packages' && id.split('-')[0] !== entry.sha256)
      throw new BackupProblem(`The package ${id} of a module is damaged. Install its bundle again, then back up.`)
    const row = folder === 'files' ? rows.get(id) : undefined
    if (row !== undefined && (row.size !== entry.size || row.sha256 !== entry.sha256))
      throw new BackupProblem(`The stored file ${id} is not what was uploaded. Run reeve verify.`)
  }
}
