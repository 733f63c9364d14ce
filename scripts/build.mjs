/**
 * Builds the pages into dist/web and the kit for module authors into dist/sdk when their sources have changed. With
 * `--accept-sizes`, the sizes of the pages become their budget (budget.mjs).
 */
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { acceptSizes, overrunsIn, writeSizes } from './budget.mjs'
import { compressFolder } from './compress.mjs'
import { ensureInstalled, READ_ONLY } from './install.mjs'
import { readLicences } from './licences.mjs'
import { withLock } from './lock.mjs'
import { isPackaged } from './packaged.mjs'
import { preloadsOf, sizesOf } from './page-files.mjs'
import { Ended, launch, Refusal, say } from './report.mjs'
import { collect, ROOT } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'
import { KIT_SOURCES, readStamp, stampPath, wantedStamp, WEB_SOURCES } from './build-stamp.mjs'

const target = join(ROOT, 'dist/web')
const staging = join(ROOT, 'dist/.web-new')
const previous = join(ROOT, 'dist/.web-old')

/** Stores what the manifest tells, and removes it: the list of files to announce with a page, and the sizes. */
function readManifest() {
  const manifest = JSON.parse(readFileSync(join(staging, '.vite/manifest.json'), 'utf8'))
  const sizes = sizesOf(manifest, staging)
  writeFileSync(join(staging, '.preloads.json'), JSON.stringify(preloadsOf(manifest, staging)))
  writeSizes(staging, sizes)
  // For `npm run bench`, in kB.
  writeFileSync(join(staging, '.first-load'), String(sizes.first_load / 1000))
  const kB = (bytes) => (bytes / 1000).toFixed(0)
  say(
    `First load of /chat: ${kB(sizes.first_load)} kB JavaScript as gzip, ${kB(sizes.with_messages)} kB with messages.`,
  )
  for (const line of overrunsIn(staging)) say(line)
  rmSync(join(staging, '.vite'), { recursive: true })
}

async function buildPages(runtime, stamp) {
  const started = Date.now()
  say('Building the pages …')
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js')
  const options = ['--outDir', staging, '--emptyOutDir', '--manifest', '--logLevel', 'warn']
  const env = { ...runtime.env, NODE_ENV: 'production' }
  const { code, output } = await collect(runtime.node, [vite, 'build', ...options], {
    env,
    label: 'Building the pages',
  })
  if (code !== 0) throw new Refusal(`${output.trim()}\nreeve: the pages cannot be built; see the lines above.`)
  if (output.trim()) say(output.trim())
  writeFileSync(join(staging, 'licences.json'), JSON.stringify(readLicences()))
  await compressFolder(staging)
  readManifest()
  writeFileSync(stampPath(staging), stamp)
  // Swapped in, so that a running server never serves half a build.
  rmSync(previous, { recursive: true, force: true })
  if (existsSync(target)) renameSync(target, previous)
  renameSync(staging, target)
  rmSync(previous, { recursive: true, force: true })
  say(`Pages built in ${((Date.now() - started) / 1000).toFixed(1)} s.`)
}

async function buildKit(runtime, stamp) {
  const started = Date.now()
  const folder = join(ROOT, 'dist/sdk')
  const kit = pathToFileURL(join(ROOT, 'sdk/build-kit.ts')).href
  const source = `import { buildKit } from ${JSON.stringify(kit)}; await buildKit(${JSON.stringify(folder)})`
  const { code, output } = await collect(runtime.node, ['--input-type=module', '--eval', source], {
    env: { ...runtime.env, NODE_ENV: 'production' },
    label: 'Building the kit for authors of modules',
  })
  if (code !== 0) throw new Refusal(`${output.trim()}\nreeve: the kit cannot be built; see the lines above.`)
  writeFileSync(stampPath(folder), stamp)
  say(`Kit for authors of modules built in ${((Date.now() - started) / 1000).toFixed(1)} s.`)
}

async function ensure(folder, sources, build) {
  if (readStamp(folder) === wantedStamp(sources)) return
  await withLock('build', async () => {
    const stamp = wantedStamp(sources)
    if (readStamp(folder) !== stamp) await build(stamp)
  })
}

/** The commit of this checkout; null without git, and in a folder of another account, which git refuses to read. */
async function currentCommit() {
  if (!existsSync(join(ROOT, '.git'))) return null
  const git = await collect('git', ['rev-parse', 'HEAD']).catch((error) => {
    if (error instanceof Ended) throw error
    return { code: 1, output: '' }
  })
  return git.code === 0 ? git.output.trim() : null
}

/**
 * Tells the service what it was built from (server/app/about.ts). It is not stored with the pages, which anyone may
 * read. Written only when it changes, so that starting an existing build leaves the program folder untouched, which may
 * be read-only.
 */
async function describeBuild() {
  const path = join(ROOT, 'dist/build.json')
  const before = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
  const commit = (await currentCommit()) ?? before?.commit ?? null
  const built_at = statSync(stampPath(target), { throwIfNoEntry: false })?.mtime.toISOString() ?? null
  if (before?.commit === commit && before?.built_at === built_at) return
  const half = `${path}.${process.pid}`
  try {
    writeFileSync(half, JSON.stringify({ commit, built_at }))
    renameSync(half, path)
  } catch (error) {
    if (!READ_ONLY.includes(error.code)) throw error
  }
}

/** What in the pages as built exceeds their budget, as lines to print. Needs a build. */
export function pagesOverBudget() {
  return overrunsIn(target)
}

/** Needs an installation (install.mjs). */
export async function ensureBuilt(runtime) {
  if (isPackaged()) return
  await ensure(target, WEB_SOURCES, (stamp) => buildPages(runtime, stamp))
  await ensure(join(ROOT, 'dist/sdk'), KIT_SOURCES, (stamp) => buildKit(runtime, stamp))
  await describeBuild()
}

if (resolve(process.argv[1] ?? '') === join(ROOT, 'scripts/build.mjs')) {
  await launch(async (args) => {
    const runtime = await chooseRuntime()
    await ensureInstalled(runtime, 'production')
    await ensureBuilt(runtime)
    if (args.includes('--accept-sizes')) {
      acceptSizes(target)
      say('The sizes of the pages are their budget now: web/budget.json.')
    }
    return 0
  })
}
