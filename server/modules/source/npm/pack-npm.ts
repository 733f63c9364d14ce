import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '../../../kernel/sentence.ts'
import { packFolder } from '../../bundle/archive/pack-folder.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import type { BundleSettings } from '../bundle-settings.ts'
import { SourceError } from '../source-error.ts'
import { fetchPackages } from './fetch-packages.ts'
import { npmManifest } from './npm-manifest.ts'
import { LOCK_FILE, type NpmLock } from './npm-lock.ts'
import { tooMuch } from '../pack-limits.ts'
import { packing, type PackingOptions, type Work } from '../packing.ts'
import { type NpmRegistry, type NpmRegistryOptions, openNpmRegistry } from './npm-registry.ts'
import type { PackageDocument } from './package-document.ts'
import { entryOf, readPackageJson } from './package-entry.ts'
import { packageName, resolveTree } from './resolve-tree.ts'
import { thisMachine } from './this-machine.ts'

export interface NpmRequest {
  readonly name: string
  /** A version, a range, or a tag; `latest` unless given. */
  readonly range?: string | undefined
  /** Which of its programs is started, for a package that has several. */
  readonly program?: string | undefined
  /** Arguments of the program; `${user_config.…}` stands for a setting. */
  readonly args?: readonly string[] | undefined
  /** Settings of the bundle, each given to the program as the variable of its name. */
  readonly settings?: BundleSettings | undefined
}

export interface PackOptions extends PackingOptions {
  readonly registry: NpmRegistryOptions
}

export interface PackedNpm {
  /** The bundle in `folder`, with SHA-256 of its bytes in hexadecimal digits. */
  readonly file: string
  readonly digest: string
  readonly size: number
  readonly name: string
  readonly version: string
  readonly lock: NpmLock
}

/**
 * Makes an MCP Bundle of a package of an npm registry and everything that it needs. None of their code is run, install
 * scripts included; each archive is compared with its digest. The same packages give the same bytes.
 * @throws {SourceError}, or the reason of the signal
 */
export async function packNpm(request: NpmRequest, options: PackOptions): Promise<PackedNpm> {
  const { name, range = 'latest', program, args = [], settings = {} } = request
  if (!packageName(name)) throw new SourceError('source_not_found', say`There is no package ${shownText(name)}.`)
  const { registry } = options
  await using npm = openNpmRegistry(registry)
  return packing(options, async (work) => {
    const { folder, limits } = work
    const target = thisMachine()
    const tree = await resolveTree(name, range, { document: documentsOf(npm, work), limits, target })
    const packages = await fetchPackages(tree.packages, { npm, ...work })
    const [first] = packages
    const home = join(folder, first!.path)
    const about = await readPackageJson(home, name)
    const entry = `${first!.path}/${await entryOf(home, { name, bin: about.bin }, program)}`
    const address = new URL(registry.url).href
    const lock: NpmLock = { format: 1, kind: 'npm', name, range, version: first!.version, registry: address, packages }
    const manifest = npmManifest({ about, entry, program, args, settings, lock, tree, target })
    await writeFile(join(folder, LOCK_FILE), `${JSON.stringify(lock, null, 2)}\n`)
    await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    work.progress({ step: 'packing', done: packages.length, total: packages.length })
    work.signal.throwIfAborted()
    const file = join(options.folder, 'bundle.mcpb')
    const { digest, size } = await packFolder(folder, file)
    return { file, digest, size, name, version: first!.version, lock }
  })
}

const AT_ONCE = 16

/** Asks for each document once, and not for all of them at the same time. */
function documentsOf(npm: NpmRegistry, { limits, signal, progress }: Work): (name: string) => Promise<PackageDocument> {
  const documents = new Map<string, Promise<PackageDocument>>()
  const waiting: (() => void)[] = []
  let asking = 0
  let left = limits.documentBytes
  // Once there is too much, nothing of what is under way is waited for.
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const take = (bytes: number): void => {
    left -= bytes
    if (left < 0) stop.abort(tooMuch(limits))
    stop.signal.throwIfAborted()
  }
  async function ask(name: string): Promise<PackageDocument> {
    if (asking >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
    asking++
    try {
      // What was asked for before there was too much, but has not begun, need not be.
      take(0)
      return await npm.document(name, { signal: until, take })
    } finally {
      asking--
      waiting.shift()?.()
    }
  }
  return (name) => {
    const known = documents.get(name)
    if (known !== undefined) return known
    if (documents.size >= limits.documents) return Promise.reject(tooMuch(limits))
    const asked = ask(name)
    documents.set(name, asked)
    progress({ step: 'resolving', done: documents.size, total: documents.size })
    return asked
  }
}
