import { access, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

const JOURNAL = 'restore.json'
const STAGING = /^restoring-[0-9a-z]+$/
const Journal = z.strictObject({
  staging: z.string().regex(STAGING),
  aside: z.string().regex(/^before-restore-[0-9a-z-]+$/),
  /** Names in the data folder that are moved aside, then names in the staging folder that take their place. */
  old: z.array(z.string().regex(/^[^/]+$/)),
  new: z.array(z.string().regex(/^[^/]+$/)),
})
type Journal = z.infer<typeof Journal>

/** What is recreated or belongs to the replaced content, in addition to what the staging folder replaces by name. */
const GO_ASIDE = ['reeve.db', 'reeve.db-wal', 'reeve.db-shm', 'thumbnails', 'tables-cache']

/**
 * Replaces the content of the data folder by that of a staging folder inside it and moves the old content aside:
 * completely or not at all. The appearance of the journal decides; whatever a crash leaves undone after that,
 * `finishSwap` completes.
 */
export async function swapFolder(dataFolder: string, staging: string, keepDatabase: boolean): Promise<string> {
  const there = await readdir(dataFolder)
  const coming = await readdir(join(dataFolder, staging))
  const leaving = new Set([...coming, ...(keepDatabase ? [] : GO_ASIDE)])
  const time = new Date()
    .toISOString()
    .replace(/[-:]|\.\d+/g, '')
    .toLowerCase()
  const journal: Journal = {
    staging,
    aside: `before-restore-${time}`,
    old: there.filter((name) => leaving.has(name)),
    new: coming,
  }
  const draft = join(dataFolder, `${JOURNAL}.unfinished`)
  await using handle = await open(draft, 'w', 0o600)
  await handle.writeFile(JSON.stringify(journal))
  await handle.sync()
  await rename(draft, join(dataFolder, JOURNAL))
  await syncFolder(dataFolder)
  await finishSwap(dataFolder)
  return journal.aside
}

/** Whether a swap was decided but not completed. */
export async function isSwapping(dataFolder: string): Promise<boolean> {
  return access(join(dataFolder, JOURNAL)).then(
    () => true,
    () => false,
  )
}

/** Completes an interrupted swap; does nothing if there is none. Under the lock of the data folder. */
export async function finishSwap(dataFolder: string): Promise<void> {
  const text = await readFile(join(dataFolder, JOURNAL), 'utf8').catch(() => null)
  if (text === null) return
  const journal = Journal.parse(JSON.parse(text))
  const aside = join(dataFolder, journal.aside)
  const staging = join(dataFolder, journal.staging)
  await mkdir(aside, { recursive: true, mode: 0o700 })
  const gone = new Set(await readdir(aside))
  for (const name of journal.old) if (!gone.has(name)) await rename(join(dataFolder, name), join(aside, name))
  const waiting = new Set(await readdir(staging).catch(() => []))
  for (const name of journal.new) if (waiting.has(name)) await rename(join(staging, name), join(dataFolder, name))
  await syncFolder(aside)
  await syncFolder(dataFolder)
  await rm(join(dataFolder, JOURNAL))
  await rm(staging, { recursive: true, force: true })
}

/** Removes what restores left behind that were killed before they decided. Under the lock of the data folder. */
export async function removeStaging(dataFolder: string): Promise<void> {
  for (const name of await readdir(dataFolder))
    if (STAGING.test(name)) await rm(join(dataFolder, name), { recursive: true, force: true })
}

/** A rename survives a power failure only once its folder is on disk. */
async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}
