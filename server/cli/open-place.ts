import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { type Config, readConfig } from '../config.ts'
import { Database, type OpenedAs } from '../db/database.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { embeddedDatabase } from '../db/snapshot/open-snapshot.ts'
import { openFolderStore } from '../files/folder-store.ts'
import type { ByteStore } from '../files/byte-store.ts'
import { openS3Store } from '../files/s3/s3-store.ts'
import { finishSwap, isSwapping } from '../operation/folder-swap.ts'
import { PACKAGE_ID } from '../modules/catalogue/package-store.ts'
import { CommandProblem } from './command.ts'
import type { Terminal } from './terminal.ts'

/** The installation that the settings describe, which may be running. */
export interface Place extends AsyncDisposable {
  readonly config: Config
  readonly db: Database & OpenedAs
}

/**
 * Opens it beside a service that runs: the embedded database lets several processes in, one of which writes at a time.
 * Nothing is migrated. @throws {CommandProblem, ConfigError, NoDatabase, NewerDatabaseError}
 */
export async function openPlace({ env, note }: Terminal): Promise<Place> {
  const config = readConfig(env)
  await refuseOthersFolder(config.dataFolder)
  await finishRestore(config.dataFolder)
  if (config.databaseUrl === null) embeddedDatabase(config.dataFolder)
  const db = await Database.open({
    url: config.databaseUrl,
    folder: config.dataFolder,
    asItIs: true,
    onError: (error) => note(error.message),
  })
  return { config, db, [Symbol.asyncDispose]: () => db[Symbol.asyncDispose]() }
}

/** A restore that was killed at its very end is finished first, as the start of the service does. */
async function finishRestore(dataFolder: string): Promise<void> {
  if (!(await isSwapping(dataFolder))) return
  using _lock = lockFolder(dataFolder)
  await finishSwap(dataFolder)
}

/** Opens it for changes: the schema is that of this program. @throws {CommandProblem} */
export async function openCurrentPlace(terminal: Terminal): Promise<Place> {
  const place = await openPlace(terminal)
  if (place.db.pending.length === 0) return place
  await place[Symbol.asyncDispose]()
  throw new CommandProblem('The database is older than this program. Run reeve migrate, or start the service.')
}

/** Where bytes of files and packages are: in `folders`, unless the settings name a bucket. */
export async function openStores(
  { filesAddress: address }: Config,
  folders: { readonly files: string; readonly packages: string },
): Promise<{ files: ByteStore; packages: ByteStore }> {
  if (address !== null)
    return {
      files: await openS3Store({ address, folder: 'files' }),
      packages: await openS3Store({ address, folder: 'packages', ids: PACKAGE_ID }),
    }
  return {
    files: await openFolderStore(folders.files),
    packages: await openFolderStore(folders.packages, PACKAGE_ID),
  }
}

export function storeFolders(dataFolder: string): { files: string; packages: string } {
  return { files: join(dataFolder, 'files'), packages: join(dataFolder, 'modules', 'packages') }
}

/** Files that another account makes here would be closed to the service. @throws {CommandProblem} */
export async function refuseOthersFolder(dataFolder: string): Promise<void> {
  const owner = (await stat(dataFolder).catch(() => null))?.uid
  const own = process.getuid?.()
  if (owner === undefined || own === undefined || owner === own) return
  throw new CommandProblem(
    `The data folder ${dataFolder} belongs to another account (number ${owner}). Run this as that account, such as with sudo -u.`,
  )
}
