import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import process from 'node:process'
import { type Config, readConfig } from '../app/config.ts'
import { Database } from '../db/database.ts'
import { wasStarted, lockFolder } from '../db/folder-lock.ts'
import { embeddedDatabase, NoDatabase } from '../db/snapshot/open-snapshot.ts'
import { openFolderStore } from '../files/folder-store.ts'
import type { ByteStore } from '../files/byte-store.ts'
import { openS3Store } from '../files/s3/s3-store.ts'
import { finishSwap, isSwapping } from '../operation/backup/folder-swap.ts'
import { PACKAGE_ID } from '../modules/catalogue/store/package-store.ts'
import { CommandProblem } from './command.ts'
import type { Terminal } from './terminal.ts'

/** How long a service may take to make its database until a command no longer waits for it. */
const STARTING_MS = 30_000
const LOOK_AGAIN_MS = 200

/** The installation described by the settings; its service may be running. */
export interface Place extends AsyncDisposable {
  readonly config: Config
  readonly db: Database
}

/**
 * Opens it alongside a running service: the embedded database admits several processes, one of which writes at a time.
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

/** A restore killed at its very end is completed first, as the service does at start-up. */
async function finishRestore(dataFolder: string): Promise<void> {
  if (!(await isSwapping(dataFolder))) return
  using _lock = lockFolder(dataFolder)
  await finishSwap(dataFolder)
}

/**
 * Opens it for changes: its schema must be that of this program. A service that was started a moment ago, by an
 * installation for example, may still be making it.
 *
 * @throws {CommandProblem}
 */
export async function openCurrentPlace(terminal: Terminal): Promise<Place> {
  const giveUp = performance.now() + STARTING_MS
  for (let told = false; ; told = true) {
    const opened = await openIfCurrent(terminal)
    if ('place' in opened) return opened.place
    if (performance.now() > giveUp) throw opened.problem
    if (!told) terminal.note('Waiting for the service to bring its database up to date …')
    await pause(LOOK_AGAIN_MS)
  }
}

/** @throws {CommandProblem} when there is no sense in waiting for another state */
async function openIfCurrent(terminal: Terminal): Promise<{ place: Place } | { problem: Error }> {
  try {
    const place = await openPlace(terminal)
    if (place.db.opened.pending.length === 0) return { place }
    await place[Symbol.asyncDispose]()
  } catch (problem) {
    if (problem instanceof NoDatabase && wasStarted(readConfig(terminal.env).dataFolder)) return { problem }
    throw problem
  }
  return {
    problem: new CommandProblem('The database is older than this program. Run reeve migrate, or start the service.'),
  }
}

/** The stores for files and packages: in `folders`, unless the settings name a bucket. */
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

/** Files created here by another account would be inaccessible to the service. @throws {CommandProblem} */
export async function refuseOthersFolder(dataFolder: string): Promise<void> {
  const owner = (await stat(dataFolder).catch(() => null))?.uid
  const own = process.getuid?.()
  if (owner === undefined || own === undefined || owner === own) return
  throw new CommandProblem(
    `The data folder ${dataFolder} belongs to another account (number ${owner}). Run this as that account, for example with sudo -u.`,
  )
}
