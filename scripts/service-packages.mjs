/**
 * Determines which packages the service needs at run time: those that its sources import, and their dependencies. The
 * others are for building the pages.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './run.mjs'

const SOURCES = ['builtin', 'contract', 'sdk', 'server']
/** These are for building, not for running. */
const NOT_RUN = /\.test\.ts$|^sdk\/(build-kit\.ts|kit)$/
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'".][^'"]*)['"]/g

function importsUnder(path) {
  if (NOT_RUN.test(path)) return []
  if (path.endsWith('.ts')) {
    const specifiers = [...readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORT)].map((match) => match[1])
    return specifiers.filter((each) => !each.startsWith('node:')).map(nameOf)
  }
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
    .flatMap((entry) => importsUnder(`${path}/${entry.name}`))
}

const nameOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** Where Node finds `name` from the package at `from`: in its own node_modules or in a parent's. */
function find(packages, from, name) {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const path = place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`
    if (packages[path]) return path
    if (place === '') return null
    if (!place.includes('/node_modules/')) place = ''
  }
}

/** Paths relative to the root, `node_modules/…`, of all that are on this machine. */
export function servicePackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const declared = packages[''].dependencies
  const first = new Set(SOURCES.flatMap(importsUnder).filter((name) => name in declared))
  const queue = [...first].map((name) => `node_modules/${name}`)
  const found = new Set()
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (found.has(path) || !existsSync(join(ROOT, path, 'package.json'))) continue
    found.add(path)
    const { dependencies, optionalDependencies, peerDependencies } = packages[path]
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const next = find(packages, path, name)
      if (next !== null && !packages[next].dev) queue.push(next)
    }
  }
  return [...found]
}
