import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '../../../kernel/sentence.ts'
import { storageFailure } from '../../../kernel/storage-failure.ts'
import { packFolder } from '../../bundle/archive/pack-folder.ts'
import { removeTree } from '../../bundle/archive/remove-tree.ts'
import { shownText } from '../../bundle/manifest/shown-text.ts'
import { BundleError } from '../../bundle/bundle-error.ts'
import type { BundleSettings } from '../bundle-settings.ts'
import { SourceError } from '../source-error.ts'
import { fetchPackages } from './fetch-packages.ts'
import type { PackProgress } from './pack-progress.ts'
import { npmManifest } from './npm-manifest.ts'
import { LOCK_FILE, type NpmLock } from './npm-lock.ts'
import { noRoom } from '../fetching.ts'
import { PACK_LIMITS, type PackLimits, tooMuch } from '../pack-limits.ts'
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

export interface PackOptions {
  readonly registry: NpmRegistryOptions
  /** An existing folder to work in. Left in it is nothing but the bundle. */
  readonly folder: string
  readonly limits?: Partial<PackLimits> | undefined
  readonly signal?: AbortSignal | undefined
  progress?(step: PackProgress): void
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
  const limits = { ...PACK_LIMITS, ...options.limits }
  const progress = options.progress ?? (() => undefined)
  if (!packageName(name)) throw new SourceError('source_not_found', say`There is no package ${shownText(name)}.`)
  const late = AbortSignal.timeout(limits.time_ms)
  const signal = AbortSignal.any([late, ...(options.signal === undefined ? [] : [options.signal])])
  const { registry } = options
  await using npm = openNpmRegistry(registry)
  const work = join(options.folder, 'work')
  const file = join(options.folder, 'bundle.mcpb')
  try {
    const target = thisMachine()
    const tree = await resolveTree(name, range, {
      document: documentsOf(npm, { limits, signal, progress }),
      limits,
      target,
    })
    await mkdir(work)
    const packages = await fetchPackages(tree.packages, { npm, folder: work, limits, signal, progress })
    const [first] = packages
    const home = join(work, first!.path)
    const about = await readPackageJson(home, name)
    const entry = `${first!.path}/${await entryOf(home, { name, bin: about.bin }, program)}`
    const address = new URL(registry.url).href
    const lock: NpmLock = { format: 1, kind: 'npm', name, range, version: first!.version, registry: address, packages }
    const manifest = npmManifest({ about, entry, program, args, settings, lock, tree, target })
    await writeFile(join(work, LOCK_FILE), `${JSON.stringify(lock, null, 2)}\n`)
    await writeFile(join(work, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    progress({ step: 'packing', done: packages.length, total: packages.length })
    signal.throwIfAborted()
    const { digest, size } = await packFolder(work, file)
    return { file, digest, size, name, version: first!.version, lock }
  } catch (error) {
    if (late.aborted && !options.signal?.aborted)
      throw new SourceError(
        'source_too_large',
        say`It took longer than ${Math.round(limits.time_ms / 60_000)} minutes and was given up.`,
      )
    if (storageFailure(error) === 'full') throw noRoom(error)
    if (error instanceof BundleError) throw new SourceError('source_refused', error.detail, { cause: error })
    throw error
  } finally {
    await removeTree(work)
  }
}

const AT_ONCE = 16

/** Asks for each document once, and not for all of them at the same time. */
function documentsOf(
  npm: NpmRegistry,
  {
    limits,
    signal,
    progress,
  }: { readonly limits: PackLimits; readonly signal: AbortSignal; progress(step: PackProgress): void },
): (name: string) => Promise<PackageDocument> {
  const documents = new Map<string, Promise<PackageDocument>>()
  const waiting: (() => void)[] = []
  let asking = 0
  let left = limits.documentBytes
  const take = (bytes: number): void => {
    left -= bytes
    if (left < 0) throw tooMuch(limits)
  }
  async function ask(name: string): Promise<PackageDocument> {
    if (asking >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
    asking++
    try {
      // What was asked for before there was too much, but has not begun, need not be.
      take(0)
      return await npm.document(name, { signal, take })
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
