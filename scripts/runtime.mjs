/**
 * Chooses the Node that runs Reeve: this one if it is new enough, else the one pinned in runtime/, which is fetched
 * once.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { withLock } from './lock.mjs'
import { installPackages } from './npm.mjs'
import { Ended, Refusal, say } from './report.mjs'
import { collect, ROOT } from './run.mjs'

const FIRST_MAJOR = 24
const BEYOND_MAJOR = 27
const INSTALL_NODE = 'install Node 24 or newer (nodejs.org), then start again.'

const folder = join(ROOT, 'runtime')
const stamp = join(folder, 'node_modules/.stamp')
const pinned = join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin/node')

function asRuntime(node) {
  // First in PATH, so that "node" means the same in every child process.
  return { node, env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` } }
}

function wanted() {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
}

function isReady() {
  return existsSync(stamp) && existsSync(pinned) && readFileSync(stamp, 'utf8') === wanted()
}

/** The pinned Node is built against glibc; on musl the file exists but cannot start. */
function isSupported() {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) return false
  process.report.excludeNetwork = true
  return Boolean(process.report.getReport().header.glibcVersionRuntime)
}

async function installPinned() {
  if (isReady()) return
  say('Fetching Node 24 (once) …')
  // Left behind by an interrupted installation.
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  await installPackages(folder, { node: process.execPath, env: process.env }, 'production', 'Fetching Node 24')
  const { code, output } = await collect(pinned, ['--version']).catch((error) => {
    if (error instanceof Ended) throw error
    return { code: 1, output: error.message }
  })
  if (code !== 0) throw new Refusal(`the fetched Node does not start here (${output.trim()}): ${INSTALL_NODE}`)
  // Written last, so that an interrupted installation doesn't count.
  writeFileSync(stamp, wanted())
  say(`Node ${output.trim()} is ready.`)
}

/** Fetches the pinned Node, whatever Node the system has. */
export async function fetchPinned() {
  if (!isReady()) await withLock('runtime', installPinned)
}

/** `{ node, env }`: the program, and the environment for everything started with it. */
export async function chooseRuntime() {
  const major = Number(process.versions.node.split('.')[0])
  if (major < 20) throw new Refusal(`Node ${process.versions.node} is too old: ${INSTALL_NODE}`)
  if (major >= FIRST_MAJOR && major < BEYOND_MAJOR) return asRuntime(process.execPath)
  if (!isReady()) {
    if (!isSupported()) {
      throw new Refusal(
        `this system has Node ${process.versions.node}, and no newer one can be fetched for it: ${INSTALL_NODE}`,
      )
    }
    await fetchPinned()
  }
  return asRuntime(pinned)
}
