import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, chmod, mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import { removeTree } from '../../bundle/archive/remove-tree.ts'
import { PACKAGE_ID, type PackageStore } from './package-store.ts'

/** A folder for unfinished work. Disposing removes it with everything still in it. */
export interface Staging extends AsyncDisposable {
  readonly folder: string
}

/**
 * Packed bundles in their store, and their unpacked trees, a cache on this machine that is rebuilt whenever one is
 * missing.
 */
export interface PackageTrees {
  /** The path where the tree of a package is or will be. */
  pathOf(digest: string): string
  stage(): Promise<Staging>
  /**
   * Keeps the packed bundle `packed` and its unpacked `tree`, both of this digest. Leaves nothing behind on failure.
   */
  keep(digest: string, packed: string, tree: string): Promise<void>
  /** Unpacks the package unless its tree is there. @throws {AppError} module_package_missing */
  ensure(digest: string): Promise<string>
  /** Unpacks the package again. @throws {AppError} module_package_missing */
  renew(digest: string): Promise<string>
  /** Writes the package to the file `target`. @throws {AppError} module_package_missing */
  copyPackage(digest: string, target: string): Promise<void>
  remove(digest: string): Promise<void>
  /**
   * Removes packages, trees and unfinished folders older than `before` (epoch milliseconds) unless `isKept` returns
   * true.
   */
  sweep(isKept: (digest: string) => boolean, before: number): Promise<void>
}

export async function openPackageTrees(folder: string, packages: PackageStore): Promise<PackageTrees> {
  const unpacked = join(folder, 'unpacked')
  const staging = join(folder, 'staging')
  for (const path of [folder, unpacked, staging]) await mkdir(path, { recursive: true, mode: 0o700 })
  // Node looks for a package.json in every parent folder: those above the data folder must not decide a module's type.
  await writeFile(join(folder, 'package.json'), '{}\n', { mode: 0o600 })
  const making = new Map<string, Promise<string>>()

  function pathOf(digest: string): string {
    if (!PACKAGE_ID.test(digest)) throw new Error('Not the digest of a package')
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

  async function copyPackage(digest: string, target: string): Promise<void> {
    if ((await packages.size(digest)) === null) {
      throw new AppError(
        'module_package_missing',
        say`The package of this version is no longer stored. Install its bundle again.`,
      )
    }
    await writeFile(target, packages.read(digest), { mode: 0o600, flag: 'wx' })
  }

  async function make(digest: string): Promise<string> {
    await using stagingOfThis = await stage()
    const [packed, tree] = [join(stagingOfThis.folder, 'bundle'), join(stagingOfThis.folder, 'tree')]
    await copyPackage(digest, packed)
    await mkdir(tree)
    const { unpackBundle } = await import('../../bundle/archive/unpack-bundle.ts')
    const found = await unpackBundle(packed, tree)
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

  async function remove(digest: string): Promise<void> {
    await packages.remove(digest)
    await removeTree(pathOf(digest))
  }

  return {
    pathOf,
    stage,
    copyPackage,
    remove,
    renew: makeOnce,

    async keep(digest, packed, tree) {
      try {
        await packages.write(digest, createReadStream(packed))
        await place(tree, digest)
      } catch (error) {
        await remove(digest)
        throw error
      }
    },

    async ensure(digest) {
      const path = pathOf(digest)
      return (await isThere(path)) ? path : makeOnce(digest)
    },

    async sweep(isKept, before) {
      await packages.removeUnfinished(before)
      for (let cursor: string | null = null; ;) {
        const page = await packages.list(cursor)
        for (const { id, written_at } of page.objects) {
          if (!isKept(id) && written_at < before) await packages.remove(id)
        }
        if ((cursor = page.next) === null) break
      }
      for (const name of await readdir(unpacked)) {
        if (!(PACKAGE_ID.test(name) && isKept(name))) await removeOlder(join(unpacked, name), before)
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
