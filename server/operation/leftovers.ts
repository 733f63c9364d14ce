import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isSwapping } from './backup/folder-swap.ts'

/** No work in progress goes on for this long without leaving a trace in its folder. */
const OLD_MS = 6 * 3_600_000
/** How many of the newest copies of the embedded database from before migrations are kept. */
const COPIES = 5

/**
 * In the data folder: a restore that was killed before it decided, drafts of the key and of the journal, disk probes.
 */
const IN_FOLDER = /^(restoring-[0-9a-z]+|restore\.json\.unfinished|secret\.key\.[0-9a-f]{12}|\.space-[0-9a-f]{12})$/
/** In its backups folder: unfinished archives and copies, and the scratch folders in which archives are verified. */
const IN_BACKUPS = /^(reeve-.*|before-.*)\.unfinished$|^\.verifying-[\w-]+$/
const COPY = /^reeve-before-.*\.db$/

/**
 * Paths below the data folder that a killed process left behind. A decided restore isn't one: it only has to be
 * completed. `alone`: nothing else works there, so everything counts except what a backup running alongside the service
 * may be writing.
 */
export async function findLeftovers(dataFolder: string, { alone = false } = {}, now = Date.now()): Promise<string[]> {
  const found: string[] = []
  const swapping = await isSwapping(dataFolder)
  for (const name of await names(dataFolder)) {
    if (!IN_FOLDER.test(name) || (swapping && name.startsWith('restor'))) continue
    if (alone || (await isOld(join(dataFolder, name), now))) found.push(name)
  }
  const backups = join(dataFolder, 'backups')
  for (const name of await names(backups)) {
    const path = join(backups, name)
    if (
      IN_BACKUPS.test(name)
        ? (alone && name.endsWith('.db.unfinished')) || (await isOld(path, now))
        : await isEmptyCopy(path, name)
    )
      found.push(`backups/${name}`)
  }
  return found
}

/** Removes them, and all but the newest copies from before migrations. Returns what was removed. */
export async function removeLeftovers(dataFolder: string, options: { alone?: boolean } = {}): Promise<string[]> {
  const found = await findLeftovers(dataFolder, options)
  const copies = (await names(join(dataFolder, 'backups')))
    .filter((name) => COPY.test(name) && !found.includes(`backups/${name}`))
    .map((name) => ({ name, at: /-(\d{4}-\d\d-\d\dT[\d-]+Z)\.db$/.exec(name)?.[1] ?? '' }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
  found.push(...copies.slice(0, Math.max(0, copies.length - COPIES)).map(({ name }) => `backups/${name}`))
  for (const path of found) await rm(join(dataFolder, path), { recursive: true, force: true })
  return found
}

async function names(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}

async function isOld(path: string, now: number): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found !== null && now - found.mtimeMs > OLD_MS
}

/** Older versions created a copy's file before its content. */
async function isEmptyCopy(path: string, name: string): Promise<boolean> {
  return COPY.test(name) && (await stat(path).catch(() => null))?.size === 0
}
