/**
 * Tells whether dist is up to date with its sources.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './run.mjs'

export const WEB_SOURCES = [
  'CHANGELOG.md',
  'LICENSE',
  'contract',
  'docs/screenshots',
  'help',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/compress.mjs',
  'scripts/licences.mjs',
  'scripts/page-files.mjs',
  'sdk/kit/AGENTS.md',
  'sdk/kit/docs',
  'vite.config.ts',
  'web',
]
/** The kit for module authors contains the service's own code for bundles and processes. */
export const KIT_SOURCES = [
  'contract',
  'LICENSE',
  'package-lock.json',
  'package.json',
  'sdk',
  'server/kernel',
  'server/modules',
]
const STAMP = '.stamp'

function filesUnder(path) {
  try {
    return readdirSync(join(ROOT, path), { withFileTypes: true })
      .filter((entry) => entry.name !== 'node_modules')
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => (entry.isDirectory() ? filesUnder(`${path}/${entry.name}`) : [`${path}/${entry.name}`]))
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path]
    if (error.code === 'ENOENT') return []
    throw error
  }
}

/** What lies among the sources and does not change what is built. */
const NOT_BUILT = /\.test\.tsx?$|^web\/budget\.json$/

/** Hash of every source of a build, names included. Reads them in full: they are a few hundred small files. */
export function wantedStamp(sources) {
  const hash = createHash('sha256')
  for (const path of sources.flatMap(filesUnder)) {
    if (!NOT_BUILT.test(path))
      hash
        .update(`${path}\0`)
        .update(readFileSync(join(ROOT, path)))
        .update('\0')
  }
  return hash.digest('hex')
}

/** The stamp of a build folder, or null when it has none. */
export function readStamp(folder) {
  try {
    return readFileSync(join(folder, STAMP), 'utf8')
  } catch {
    return null
  }
}

export const stampPath = (folder) => join(folder, STAMP)
