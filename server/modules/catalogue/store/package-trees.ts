import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, chmod, mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { removeTree } from '../../bundle/archive/remove-tree.ts'
import type { ModuleLimits } from '../../spec/module-limits.ts'
import { PACKAGE_DIGEST, type PackageStore } from './package-store.ts'

/** A folder for unfinished work. Disposing removes it with everything still in it. */
export interface Staging extends AsyncDisposable {
  readonly folder: string
}

/** A package in the store. */
export interface StoredPackage {
  readonly stored_as: string
  /** Bytes. */
  readonly size: number
}

/**
 * Packed bundles in their store, which all processes share, and their unpacked trees, a cache on this machine that is
 * rebuilt whenever one is missing.
 */
export interface PackageTrees {
  /** The path where the tree of a package is or will be. */
  pathOf(digest: string): string
  stage(): Promise<Staging>
  /** Stores the packed bundle `packed` of this digest as a new object, which no row names yet. */
  store(digest: string, packed: string): Promise<StoredPackage>
  /**
   * Stores the packed bundle `packed` and keeps its unpacked `tree`, both of this digest. Leaves nothing behind on
   * failure.
   */
  keep(digest: string, packed: string, tree: string): Promise<StoredPackage>
  /** What is stored under the id, null when there is nothing. */
  find(stored_as: string): Promise<StoredPackage | null>
  read(stored_as: string): AsyncIterable<Uint8Array>
  /** Unpacks the package unless its tree is there. @throws {AppError} module_package_missing */
  ensure(digest: string): Promise<string>
  /** Unpacks the package again. @throws {AppError} module_package_missing */
  renew(digest: string): Promise<string>
  /** Writes the package of an installed version to the file `target`. @throws {AppError} module_package_missing */
  copyPackage(digest: string, target: string): Promise<void>
  /** Removes the tree from this machine; its package is left to the sweep of objects. */
  removeTree(digest: string): Promise<void>
  /** Removes trees and unfinished folders older than `before` (epoch milliseconds) unless `isKept` returns true. */
  sweep(isKept: (digest: string) => boolean, before: number): Promise<void>
}

export interface PackageTreesOptions {
  readonly folder: string
  readonly packages: PackageStore
  readonly limits: Pick<ModuleLimits, 'packedBytes' | 'unpackedBytes'>
  /** The id under which the package of an installed version is stored; null when there is no such version. */
  readonly packageOf: (digest: string) => Promise<string | null>
}

export async function openPackageTrees({
  folder,
  packages,
  limits: { packedBytes, unpackedBytes },
  packageOf,
}: PackageTreesOptions): Promise<PackageTrees> {
  const unpacked = join(folder, 'unpacked')
  const staging = join(folder, 'staging')
  for (const path of [folder, unpacked, staging]) await mkdir(path, { recursive: true, mode: 0o700 })
  // Node looks for a package.json in every parent folder: those above the data folder must not decide a module's type.
  await writeFile(join(folder, 'package.json'), '{}\n', { mode: 0o600 })
  const making = new Map<string, Promise<string>>()

  function pathOf(digest: string): string {
    if (!PACKAGE_DIGEST.test(digest)) throw new Error('Not the digest of a package')
    return join(unpacked, digest)
  }

  async function stage(): Promise<Staging> {
    const path = join(staging, randomBytes(12).toString('hex'))
    await mkdir(path, { mode: 0o700 })
    return { folder: path, [Symbol.asyncDispose]: () => removeTree(path) }
  }

  async function place(tree: string, digest: string): Promise<void> {
    const path = pathOf(digest)
    await removeTree(path)
    // Only root can move a read-only folder.
    await chmod(tree, 0o755)
    await rename(tree, path)
    await chmod(path, 0o555)
  }

  async function store(digest: string, packed: string): Promise<StoredPackage> {
    const stored_as = `${digest}-${randomBytes(8).toString('hex')}`
    await packages.write(stored_as, createReadStream(packed))
    return { stored_as, size: (await stat(packed)).size }
  }

  async function copyPackage(digest: string, target: string): Promise<void> {
    const stored_as = await packageOf(digest)
    if (stored_as === null || (await packages.size(stored_as)) === null) {
      throw new AppError(
        'module_package_missing',
        say`The package of this version is no longer stored. Install its bundle again.`,
      )
    }
    await writeFile(target, packages.read(stored_as), { mode: 0o600, flag: 'wx' })
  }

  async function make(digest: string): Promise<string> {
    await using stagingOfThis = await stage()
    const [packed, tree] = [join(stagingOfThis.folder, 'bundle'), join(stagingOfThis.folder, 'tree')]
    await copyPackage(digest, packed)
    await mkdir(tree)
    const { unpackBundle } = await import('../../bundle/archive/unpack-bundle.ts')
    const found = await unpackBundle(packed, tree, { packedBytes, unpackedBytes })
    if (found.digest !== digest) {
      throw new AppError(
        'module_package_missing',
        say`The stored package of this version is damaged. Install its bundle again.`,
      )
    }
    await place(tree, digest)
    return pathOf(digest)
  }

  /** Callers that need the same tree at once share the work. */
  function makeOnce(digest: string): Promise<string> {
    let made = making.get(digest)
    if (made === undefined) {
      made = make(digest).finally(() => making.delete(digest))
      making.set(digest, made)
    }
    return made
  }

  return {
    pathOf,
    stage,
    store,
    copyPackage,
    renew: makeOnce,
    removeTree: (digest) => removeTree(pathOf(digest)),
    read: (stored_as) => packages.read(stored_as),

    async find(stored_as) {
      const size = await packages.size(stored_as)
      return size === null ? null : { stored_as, size }
    },

    async keep(digest, packed, tree) {
      const stored = await store(digest, packed)
      try {
        await place(tree, digest)
        return stored
      } catch (error) {
        // Nothing else knows this id.
        await packages.remove(stored.stored_as)
        await removeTree(pathOf(digest))
        throw error
      }
    },

    async ensure(digest) {
      const path = pathOf(digest)
      return (await isThere(path)) ? path : makeOnce(digest)
    },

    async sweep(isKept, before) {
      for (const name of await readdir(unpacked)) {
        if (!(PACKAGE_DIGEST.test(name) && isKept(name))) await removeOlder(join(unpacked, name), before)
      }
      for (const name of await readdir(staging)) await removeOlder(join(staging, name), before)
    },
  }
}

async function removeOlder(path: string, before: number): Promise<void> {
  if ((await stat(path)).ctimeMs < before) await removeTree(path)
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
