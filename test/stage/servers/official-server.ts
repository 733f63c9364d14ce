import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { packFolder } from '../../../server/modules/bundle/archive/pack-folder.ts'
import { ROOT } from '../sources/source-graph.ts'

const MODULES = join(ROOT, 'node_modules')

export interface OfficialServer {
  /** Name in the registry. */
  readonly package: string
  readonly displayName: string
  /** Further arguments of its command line, with `${user_config.…}`. */
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly user_config?: Readonly<Record<string, object>>
}

interface PackageFile {
  readonly version: string
  readonly description?: string
  readonly bin?: string | Record<string, string>
  readonly dependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
}

/** Packs a server from the registry as an author would: the package, everything that it needs, and a manifest. Returns its version. */
export async function packOfficialServer(server: OfficialServer, bundle: string, work: string): Promise<string> {
  const root = join(MODULES, server.package)
  const manifest = await readPackage(root)
  const copied = new Map<string, string>()
  await copyWithDependencies(root, join(work, 'node_modules'), copied)
  const bin = typeof manifest.bin === 'string' ? manifest.bin : Object.values(manifest.bin ?? {})[0]!
  const entry = join('node_modules', server.package, bin)
  await writeFile(
    join(work, 'manifest.json'),
    JSON.stringify({
      manifest_version: '0.3',
      name: server.displayName,
      version: manifest.version,
      description: manifest.description ?? server.displayName,
      author: { name: 'Model Context Protocol' },
      server: {
        type: 'node',
        entry_point: entry,
        mcp_config: {
          command: 'node',
          args: [`\${__dirname}/${entry}`, ...(server.args ?? [])],
          env: server.env ?? {},
        },
      },
      ...(server.user_config ? { user_config: server.user_config } : {}),
      tools_generated: true,
    }),
  )
  await packFolder(work, bundle)
  await rm(work, { recursive: true })
  return manifest.version
}

/** Copies a package to where it lies in this project, and with it whatever it would load: the flat tree that npm made. */
async function copyWithDependencies(folder: string, target: string, copied: Map<string, string>): Promise<void> {
  if (copied.has(folder)) return
  const place = join(target, relative(MODULES, folder))
  copied.set(folder, place)
  await mkdir(dirname(place), { recursive: true })
  // Nested packages come along when somebody asks for them.
  await cp(folder, place, {
    recursive: true,
    filter: (path) => !relative(folder, path).split('/').includes('node_modules'),
  })
  const { dependencies = {}, optionalDependencies = {} } = await readPackage(folder)
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = findPackage(folder, name)
    if (found !== null) await copyWithDependencies(found, target, copied)
    else if (name in dependencies) throw new Error(`${folder} needs ${name}, which is not installed.`)
  }
}

/** Where Node would find the package `name` from `folder`; null when nowhere in this project. */
function findPackage(folder: string, name: string): string | null {
  for (let at = folder; at.startsWith(ROOT); at = dirname(at)) {
    const candidate = join(at, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return candidate
  }
  return null
}

async function readPackage(folder: string): Promise<PackageFile> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as PackageFile
}
