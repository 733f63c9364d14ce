import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { say } from '../../kernel/sentence.ts'
import { storageFailure } from '../../kernel/storage-failure.ts'
import { removeTree } from '../bundle/archive/remove-tree.ts'
import { BundleError } from '../bundle/bundle-error.ts'
import { noRoom } from './fetching.ts'
import type { PackProgress } from './npm/pack-progress.ts'
import { PACK_LIMITS, type PackLimits } from './pack-limits.ts'
import { SourceError } from './source-error.ts'

export interface PackingOptions {
  /** An existing folder to work in. Left in it is nothing but the bundle. */
  readonly folder: string
  readonly limits?: Partial<PackLimits> | undefined
  readonly signal?: AbortSignal | undefined
  progress?(step: PackProgress): void
}

/** What a bundle is packed with: a folder that is there for that long, and when to stop. */
export interface Work {
  readonly folder: string
  readonly limits: PackLimits
  readonly signal: AbortSignal
  progress(step: PackProgress): void
}

/** Packs in a folder of its own, within the limits. @throws {SourceError}, or the reason of the signal */
export async function packing<T>(options: PackingOptions, job: (work: Work) => Promise<T>): Promise<T> {
  const limits = { ...PACK_LIMITS, ...options.limits }
  const late = AbortSignal.timeout(limits.time_ms)
  const signal = AbortSignal.any([late, ...(options.signal === undefined ? [] : [options.signal])])
  const folder = join(options.folder, 'work')
  const progress = options.progress ?? (() => undefined)
  try {
    await mkdir(folder)
    return await job({ folder, limits, signal, progress })
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
    await removeTree(folder)
  }
}
