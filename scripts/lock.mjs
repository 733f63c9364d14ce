/**
 * A lock for one process at a time: a directory whose timestamp shows that its owner is alive.
 */
import { mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import process from 'node:process'
import { Refusal, say } from './report.mjs'
import { ROOT } from './run.mjs'

const HEARTBEAT_MS = 1_000
const STALE_MS = 10_000

function take(path) {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw new Refusal(
      `cannot write to ${dirname(path)} (${error.code}): make the folder of Reeve writable for this user.`,
    )
  }
}

/** Clears the lock of an owner that died. Renamed first, so that only one of two processes that notice removes it. */
function clearIfStale(path) {
  try {
    if (Date.now() - statSync(path).mtimeMs < STALE_MS) return
    const grave = `${path}.${process.pid}`
    renameSync(path, grave)
    rmSync(grave, { recursive: true, force: true })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

/**
 * Runs `work` while no other process of this checkout runs one of the same `name`. Waits for the other as long as that
 * is alive.
 */
export async function withLock(name, work) {
  // In dist/ and not in node_modules/: npm ci removes that folder.
  const folder = join(ROOT, 'dist')
  const path = join(folder, `.${name}.lock`)
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new Refusal(`cannot write to ${ROOT} (${error.code}): make the folder of Reeve writable for this user.`)
  }
  for (let waiting = false; !take(path); waiting = true) {
    if (!waiting) say(`Waiting for another process that is at the same step (${name}) …`)
    clearIfStale(path)
    await sleep(200)
  }
  const heartbeat = setInterval(() => {
    const now = new Date()
    utimesSync(path, now, now)
  }, HEARTBEAT_MS)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    rmSync(path, { recursive: true, force: true })
  }
}
