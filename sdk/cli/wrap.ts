import { cp, lstat, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { basename, dirname, join, posix, resolve } from 'node:path'
import process from 'node:process'
import { z } from 'zod'
import { moduleSlug } from '../../server/modules/bundle/manifest/module-slug.ts'
import { filesIn } from '../files-in.ts'
import { type AboutModule, refuseFilled } from './init.ts'
import { UsageError } from './usage-error.ts'

const Names = z.record(z.string(), z.string()).catch({})
const Package = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  license: z.string().optional().catch(undefined),
  homepage: z.string().optional().catch(undefined),
  author: z
    .union([z.string(), z.looseObject({ name: z.string() }).transform(({ name }) => name)])
    .optional()
    .catch(undefined),
  main: z.string().optional().catch(undefined),
  bin: z
    .union([z.string(), z.record(z.string(), z.string())])
    .optional()
    .catch(undefined),
  engines: z.looseObject({ node: z.string().optional() }).optional().catch(undefined),
  dependencies: Names,
  optionalDependencies: Names,
  peerDependencies: Names,
})
type Package = z.infer<typeof Package>

/** A package as it is installed somewhere, and where the module gets it. */
interface Placed {
  readonly from: string
  readonly to: string
  readonly about: Package
}

const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/
const NEVER_COPIED = new Set(['node_modules', '.git'])

/**
 * Writes a module into `folder`, which must be empty or missing, that is an MCP server from a package: one that is installed
 * here, by its name, or in a folder. The package and what it depends on are copied; nothing is fetched and nothing is run.
 */
export async function wrap(named: string, folder: string, options: AboutModule): Promise<string[]> {
  await refuseFilled(folder)
  const from = await findPackage(named)
  const about = await readPackage(from)
  const name = about.name ?? basename(from)
  const entry = entryOf(about, name)
  if (!(await isFile(join(from, entry))))
    throw new UsageError(`${name} is to start with ${entry}, which is not there. Build the package first.`)

  const placed = await placeAll({ from, to: join('node_modules', name), about })
  await mkdir(folder, { recursive: true })
  for (const each of placed) await copyPackage(each, folder)
  const manifest = manifestOf(about, `node_modules/${name}/${entry}`, options)
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await writeFile(join(folder, 'tests.json'), '[]\n')
  await writeFile(join(folder, '.mcpbignore'), 'tests.json\n')
  const own = (await filesIn(folder)).filter((path) => !path.startsWith('node_modules/'))
  return [...own, ...placed.map(({ to }) => `${to}/`).sort()]
}

/** The real folder of a package: pnpm and workspaces link to it, and what it needs lies beside the real one. */
async function findPackage(named: string): Promise<string> {
  for (const path of [resolve(named), await installed(process.cwd(), named)])
    if (path !== null && (await isFile(join(path, 'package.json')))) return realpath(path)
  throw new UsageError(
    `There is no package ${named}: neither a folder with a package.json, nor installed in a node_modules here or above.`,
  )
}

/** As Node looks for it: in `node_modules` of each folder from here upwards. */
async function installed(from: string, name: string): Promise<string | null> {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (await isFile(join(path, 'package.json'))) return realpath(path)
    if (folder === dirname(folder)) return null
  }
}

async function readPackage(folder: string): Promise<Package> {
  try {
    return Package.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')))
  } catch {
    throw new UsageError(`${join(folder, 'package.json')} cannot be read.`)
  }
}

function entryOf({ bin, main }: Package, name: string): string {
  const bins = typeof bin === 'string' ? { [name]: bin } : (bin ?? {})
  const entry = bins[name.replace(/^@[^/]+\//, '')] ?? Object.values(bins)[0] ?? main ?? 'index.js'
  const path = posix.normalize(entry)
  if (path.startsWith('..') || posix.isAbsolute(path))
    throw new UsageError(`${name} is to start with ${entry}, which is not in the package.`)
  return path
}

/**
 * The package and everything it depends on, each where Node will find it: at the top as long as there is only one of a name,
 * and another version within whoever needs it. A package is dealt with after whoever brought it there, so that what is
 * found for it later stays found.
 */
async function placeAll(first: Placed): Promise<Placed[]> {
  const places = new Map<string, Placed>([[first.to, first]])
  for (const { from, to, about } of places.values()) {
    const wanted = { ...about.peerDependencies, ...about.optionalDependencies, ...about.dependencies }
    for (const name of Object.keys(wanted)) {
      const found = await installed(from, name)
      if (found === null) {
        if (!Object.hasOwn(about.dependencies, name) || Object.hasOwn(about.optionalDependencies, name)) continue
        throw new UsageError(`${about.name} needs ${name}, which is not installed. Install it first, without scripts.`)
      }
      const seen = lookUp(places, to, name)
      if (seen?.from === found) continue
      const target = join(seen === undefined ? '' : to, 'node_modules', name)
      places.set(target, { from: found, to: target, about: await readPackage(found) })
    }
  }
  return [...places.values()]
}

/** What Node would find under this name from a folder of the module. */
function lookUp(places: ReadonlyMap<string, Placed>, from: string, name: string): Placed | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = places.get(join(folder, 'node_modules', name))
    if (place !== undefined || folder === '.') return place
  }
}

/** Without links, which no bundle may contain, and without what npm put inside, which has its own place. */
async function copyPackage({ from, to }: Placed, folder: string): Promise<void> {
  const target = join(folder, to)
  await mkdir(target, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (NEVER_COPIED.has(entry.name) || entry.isSymbolicLink()) continue
    await cp(join(from, entry.name), join(target, entry.name), { recursive: true, filter: isNoLink })
  }
}

async function isNoLink(path: string): Promise<boolean> {
  return !(await lstat(path)).isSymbolicLink()
}

async function isFile(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null)
  return found?.isFile() === true
}

function manifestOf(about: Package, entry: string, options: AboutModule) {
  const display_name = options.name ?? about.name ?? 'Module'
  const { version = '', license, homepage } = about
  return {
    manifest_version: '0.3',
    name: moduleSlug(display_name),
    display_name,
    version: VERSION.test(version) ? version : '0.1.0',
    description: options.description ?? about.description ?? `What ${display_name} is for, in one sentence`,
    author: { name: options.author ?? about.author ?? 'Somebody' },
    ...(license !== undefined && { license }),
    ...(/^https?:\/\//.test(homepage ?? '') && { homepage }),
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: { command: 'node', args: [`\${__dirname}/${entry}`], env: {} },
    },
    tools_generated: true,
    compatibility: {
      platforms: ['linux', 'darwin'],
      ...(about.engines?.node !== undefined && { runtimes: { node: about.engines.node } }),
    },
    _meta: {
      'dev.reeve': { instances: 'singleton', capabilities: { network: 'none', folders: [], commands: [] } },
    },
  }
}
