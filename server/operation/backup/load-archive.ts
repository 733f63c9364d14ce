import type { Kysely } from 'kysely'
import type { Dialect } from '../../db/dialect.ts'
import type { Tables } from '../../db/schema.ts'
import { loadTables } from '../../db/snapshot/load-tables.ts'
import type { Snapshot } from '../../db/snapshot/snapshot.ts'
import type { ArchiveReader } from './archive-reader.ts'
import { BackupProblem } from './backup-problem.ts'
import type { Progress } from './backup-source.ts'
import { readTableLines, sumTables } from './table-lines.ts'

/**
 * Loads the tables of a backup into an empty database, reads them there again, and compares.
 * @throws {BackupProblem} when a table is not what the manifest says
 * @throws {NewerDatabaseError}
 */
export async function loadArchive(
  db: Kysely<Tables>,
  dialect: Dialect,
  archive: ArchiveReader,
  snapshot: () => Promise<Snapshot>,
  progress: Progress,
): Promise<void> {
  const { manifest } = archive
  const entries = new Map(manifest.entries.map((entry) => [entry.path, entry]))
  let done = 0
  await loadTables(db, dialect, {
    ...manifest,
    rows: ({ name }) => {
      progress({ doing: `loading table ${name}`, done: done++, of: manifest.tables.length })
      const entry = entries.get(`tables/${name}.ndjson`)
      if (entry === undefined) throw new BackupProblem(`The backup is damaged: the table ${name} is missing from it.`)
      return readTableLines(archive.read(entry))
    },
  })
  progress({ doing: 'comparing', done: 0, of: null })
  await using loaded = await snapshot()
  const sums = new Map((await sumTables(loaded)).map((each) => [each.name, each]))
  for (const { name, rows, sum } of manifest.tables) {
    const found = sums.get(name)
    if (found?.rows !== rows || found.sum !== sum)
      throw new BackupProblem(
        `The table ${name} does not match what was backed up: ${rows} rows then, ${found?.rows ?? 0} rows now.`,
      )
  }
}
