import { randomBytes } from 'node:crypto'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../../db/dialect.ts'
import { migrate } from '../../db/migrate.ts'
import { MIGRATIONS } from '../../db/migrations/index.ts'
import type { Tables } from '../../db/schema.ts'
import { lookAtPostgres, openPostgresPlace } from '../../db/snapshot/postgres-place.ts'
import { openScratchDatabase } from '../../db/snapshot/scratch-database.ts'
import type { Snapshot } from '../../db/snapshot/snapshot.ts'
import { type ArchiveReader, readArchive } from './archive-reader.ts'
import type { BackupManifest } from './backup-manifest.ts'
import { BackupProblem } from './backup-problem.ts'
import type { Progress } from './backup-source.ts'
import { forgetSealed } from '../forget-secrets.ts'
import { forgetKey } from '../key-check.ts'
import { finishSwap, removeStaging, swapFolder } from './folder-swap.ts'
import { loadArchive } from './load-archive.ts'

/** Where stored bytes are restored to. */
export interface RestoredBytes {
  size(id: string): Promise<number | null>
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
}

export interface RestorePlace {
  readonly dataFolder: string
  /**
   * PostgreSQL; null: the embedded database in the data folder. The data folder is used by nothing else during the
   * restore.
   */
  readonly databaseUrl: string | null
  /** Opens the stores in these folders, or in the configured bucket. */
  stores(folders: { files: string; packages: string }): Promise<{ files: RestoredBytes; packages: RestoredBytes }>
  readonly keys: {
    /** From the settings; it is not written to the data folder. */
    readonly set: string | null
    /** Given for this restore. */
    readonly given: string | null
    /** Currently in the data folder. */
    readonly kept: string | null
  }
  fingerprint(key: string): string
}

export interface RestoreOptions {
  /** Replace the existing content, which is kept aside. */
  readonly force: boolean
  /** Continue with another key: values sealed with the lost one must be entered again. */
  readonly loseSecrets: boolean
  readonly progress: Progress
}

export interface RestoreReport {
  readonly taken_at: string
  readonly tables: number
  readonly rows: number
  readonly files: number
  /** Where the previous content is: a folder in the data folder, a schema of the database. */
  readonly aside: readonly string[]
  /** Migrations the backup did not have yet. */
  readonly migrated: readonly string[]
}

/**
 * Restores a backup: everything is built and compared alongside the existing content, and replaces it in one step at
 * the end. If killed before that, the existing content is unchanged; if killed during it, the next start completes it.
 * @throws {BackupProblem}
 */
export async function restoreBackup(
  file: string,
  place: RestorePlace,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const { dataFolder, databaseUrl } = place
  using archive = await readArchive(file)
  refuseNewer(archive.manifest)
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  await finishSwap(dataFolder)
  await removeStaging(dataFolder)
  await refuseOccupied(place, options.force)
  const { write: key, fits } = await chooseKey(archive, place, options.loseSecrets)

  const name = `restoring-${randomBytes(6).toString('hex')}`
  const staging = join(dataFolder, name)
  await mkdir(staging, { mode: 0o700 })
  try {
    const aside: string[] = []
    // With an external database, only rows tell old files from new ones, so the backup's files are added to the
    // existing ones.
    const { files, packages } = await place.stores({
      files: join(databaseUrl === null ? staging : dataFolder, 'files'),
      packages: join(staging, 'modules', 'packages'),
    })
    if (databaseUrl === null) {
      await using scratch = openScratchDatabase(join(staging, 'reeve.db'))
      await fill(scratch, archive, fits, options.progress)
      await scratch.settle()
    }
    await writeEntries(archive, { files, packages }, staging, options.progress)
    if (key !== null) await writeSynced(join(staging, 'secret.key'), once(`${key.trim()}\n`))
    if (databaseUrl !== null) {
      await using loading = await openPostgresPlace(databaseUrl)
      await fill(loading, archive, fits, options.progress)
      const schema = await loading.commit()
      if (schema !== null) aside.push(`the schema ${schema} of the database`)
    }
    aside.unshift(join(dataFolder, await swapFolder(dataFolder, name, databaseUrl !== null)))
    return report(archive.manifest, aside)
  } catch (error) {
    await removeStaging(dataFolder)
    throw error
  }
}

function refuseNewer({ migrations, reeve_version }: BackupManifest): void {
  const known = new Set(MIGRATIONS.map(({ name }) => name))
  if (migrations.every((name) => known.has(name))) return
  throw new BackupProblem(
    `The backup was made by Reeve ${reeve_version}, which is newer. Restore it with that version.`,
  )
}

async function refuseOccupied({ dataFolder, databaseUrl }: RestorePlace, force: boolean): Promise<void> {
  const postgres = databaseUrl === null ? null : await lookAtPostgres(databaseUrl)
  if (postgres?.inUse) throw new BackupProblem('A Reeve is running on this database. Stop every process of it first.')
  const occupied = postgres?.occupied ?? (await isThere(join(dataFolder, 'reeve.db')))
  if (occupied && !force)
    throw new BackupProblem(
      `There is a database in ${postgres ? 'REEVE_DATABASE_URL' : dataFolder} already. With --force it is moved aside and replaced by the backup.`,
    )
}

/** The key to write to the data folder, null if the settings have it or it is lost; and whether it is the backup's. */
async function chooseKey(
  archive: ArchiveReader,
  { keys, fingerprint }: RestorePlace,
  loseSecrets: boolean,
): Promise<{ write: string | null; fits: boolean }> {
  const { manifest } = archive
  const entry = manifest.entries.find(({ path }) => path === 'secret.key')
  let included: string | null = null
  if (entry !== undefined) {
    included = ''
    for await (const piece of archive.read(entry)) included += Buffer.from(piece).toString('utf8')
  }
  const key = keys.set ?? keys.given ?? included ?? keys.kept
  if (!loseSecrets && key === null)
    throw new BackupProblem(
      'This backup was taken without its secret key, and values in it are sealed with that. Give the key with --key-file or REEVE_SECRET_KEY; if it is lost, --lose-secrets goes on without those values.',
    )
  const fits = key !== null && fingerprint(key) === manifest.key.fingerprint
  if (!loseSecrets && !fits)
    throw new BackupProblem(
      'The secret key is not the one that this backup was made with. Give that one with --key-file or REEVE_SECRET_KEY; if it is lost, --lose-secrets goes on without the values sealed with it.',
    )
  return { write: keys.set === null ? key : null, fits }
}

interface Loading {
  readonly db: Kysely<Tables>
  readonly dialect: Dialect
  snapshot(): Promise<Snapshot>
}

async function fill(
  { db, dialect, snapshot }: Loading,
  archive: ArchiveReader,
  keyFits: boolean,
  progress: Progress,
): Promise<void> {
  await loadArchive(db, dialect, archive, snapshot, progress)
  await migrate(db, { ...dialect, backup: async () => null })
  if (!keyFits)
    await db.transaction().execute(async (trx) => {
      await forgetSealed(trx)
      await forgetKey(trx)
    })
  // What these runs did after the backup was taken is unknown, so none of them continues by itself.
  await sql`update run set cancel_requested_at = ${Date.now()} where status in ('thinking', 'acting')`.execute(db)
}

async function writeEntries(
  archive: ArchiveReader,
  stores: Readonly<Record<'files' | 'packages', RestoredBytes>>,
  staging: string,
  progress: Progress,
): Promise<void> {
  const { entries } = archive.manifest
  for (const [index, entry] of entries.entries()) {
    progress({ doing: 'files', done: index, of: entries.length })
    const [folder, ...rest] = entry.path.split('/')
    if (folder === 'files' || folder === 'packages') {
      const [store, id] = [stores[folder], rest.join('/')]
      // Bytes never change under the same id.
      if ((await store.size(id)) !== entry.size) await store.write(id, archive.read(entry))
    } else if (folder === 'folders') {
      const path = join(staging, ...rest)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeSynced(path, archive.read(entry))
    }
  }
}

function report({ tables, taken_at, entries, migrations }: BackupManifest, aside: readonly string[]): RestoreReport {
  const had = new Set(migrations)
  return {
    taken_at: new Date(taken_at).toISOString(),
    tables: tables.length,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    files: entries.filter(({ path }) => path.startsWith('files/')).length,
    aside,
    migrated: MIGRATIONS.map(({ name }) => name).filter((name) => !had.has(name)),
  }
}

async function writeSynced(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await using handle = await open(path, 'wx', 0o600)
  await handle.writeFile(bytes)
  await handle.sync()
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
