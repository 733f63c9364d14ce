import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LockedPackage } from './npm-lock.ts'
import { type PackLimits, tooMuch } from '../pack-limits.ts'
import type { NpmRegistry } from './npm-registry.ts'
import type { PackProgress } from './pack-progress.ts'
import { installScripts, readPackageJson } from './package-entry.ts'
import type { PlacedPackage } from './resolve-tree.ts'
import { unpackPackage } from './unpack-package.ts'

const AT_ONCE = 6

interface Options {
  readonly npm: NpmRegistry
  readonly folder: string
  readonly limits: PackLimits
  readonly signal: AbortSignal
  progress(step: PackProgress): void
}

/**
 * Fetches packages, each into its folder below `folder`, and says what each of them was.
 * @throws {SourceError} of the first that fails, once all have stopped
 */
export async function fetchPackages(placed: readonly PlacedPackage[], options: Options): Promise<LockedPackage[]> {
  const { npm, folder, limits, progress } = options
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const left = { fetched: limits.fetchedBytes, unpacked: limits.unpackedBytes, files: limits.files }
  const take = (bytes: number): void => {
    left.fetched -= bytes
    if (left.fetched < 0) throw tooMuch(limits)
  }
  const budget = {
    bytes(count: number): void {
      left.unpacked -= count
      if (left.unpacked < 0) throw tooMuch(limits)
    },
    file(): void {
      left.files -= 1
      if (left.files < 0) throw tooMuch(limits)
    },
  }
  const locked: LockedPackage[] = []
  const failures: unknown[] = []
  let done = 0

  async function fetchOne({ path, version, optional }: PlacedPackage, index: number): Promise<void> {
    const { name, dist } = version
    const archive = join(folder, `.archive-${index}`)
    const integrity = dist.integrity ?? ''
    await npm.archive({ name, tarball: dist.tarball, integrity }, archive, { signal, take })
    const home = join(folder, path)
    await mkdir(home, { recursive: true })
    await unpackPackage(archive, home, { name, budget, signal })
    await rm(archive)
    const scripts = installScripts(await readPackageJson(home, name))
    locked[index] = {
      path,
      name,
      version: version.version,
      resolved: dist.tarball.replace(/[?#].*$/s, ''),
      integrity,
      ...(optional && { optional }),
      ...(scripts.length > 0 && { scripts }),
    }
    progress({ step: 'fetching', done: ++done, total: placed.length })
  }

  const queue = placed.entries()
  progress({ step: 'fetching', done, total: placed.length })
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [index, one] of queue) {
        if (failures.length > 0) return
        try {
          await fetchOne(one, index)
        } catch (error) {
          failures.push(error)
          stop.abort(error)
        }
      }
    }),
  )
  if (failures.length > 0) throw failures[0]
  return locked
}
