/**
 * Installs what package-lock.json names unless node_modules already contains it.
 */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { withLock } from './lock.mjs'
import { installPackages } from './npm.mjs'
import { isPackaged } from './packaged.mjs'
import { say } from './report.mjs'
import { ROOT } from './run.mjs'

const lockFile = join(ROOT, 'package-lock.json')
const stampFile = join(ROOT, 'node_modules/.reeve-installed.json')
const npmRecord = join(ROOT, 'node_modules/.package-lock.json')

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

function wanted() {
  const lock = createHash('sha256').update(readFileSync(lockFile)).digest('hex')
  return { lock, platform: `${process.platform}-${process.arch}` }
}

/**
 * Whether npm's own record, which npm writes last, contains every package that `set` needs, as after running npm by
 * hand.
 */
function npmHasInstalled(set) {
  const record = readJson(npmRecord)?.packages
  if (!record) return false
  return Object.entries(readJson(lockFile).packages).every(
    ([path, entry]) =>
      path === '' ||
      entry.optional ||
      entry.devOptional ||
      (entry.dev && set === 'production') ||
      (record[path]?.version === entry.version && record[path]?.integrity === entry.integrity),
  )
}

/** Error codes of a folder that must not be written to. */
export const READ_ONLY = ['EACCES', 'EPERM', 'EROFS']

/** `full` also satisfies `production`. */
function isInstalled(set) {
  const now = wanted()
  const stamp = readJson(stampFile)
  if (stamp && stamp.platform !== now.platform) return false
  if (stamp?.lock === now.lock && (stamp.set === 'full' || stamp.set === set)) return true
  if (!npmHasInstalled(set)) return false
  try {
    writeFileSync(stampFile, JSON.stringify({ ...now, set }))
  } catch (error) {
    // The next start checks again: the program folder may belong to another account.
    if (!READ_ONLY.includes(error.code)) throw error
  }
  return true
}

/** @param {'production' | 'full'} set without or with what tests and checks need */
export async function ensureInstalled(runtime, set) {
  if (isPackaged() || isInstalled(set)) return
  await withLock('install', async () => {
    if (isInstalled(set)) return
    const started = Date.now()
    say(`Installing packages (${set === 'full' ? 'with those for tests' : 'once'}) …`)
    // Without a stamp the folder may be left from an interrupted installation. With one, only differences are fetched.
    if (readJson(stampFile)?.platform !== wanted().platform)
      rmSync(join(ROOT, 'node_modules'), { recursive: true, force: true })
    rmSync(stampFile, { force: true })
    await installPackages(ROOT, runtime, set, 'Installing packages')
    // Written last, so that an interrupted installation doesn't count.
    writeFileSync(stampFile, JSON.stringify({ ...wanted(), set }))
    say(`Packages installed in ${Math.round((Date.now() - started) / 1000)} s.`)
  })
}
