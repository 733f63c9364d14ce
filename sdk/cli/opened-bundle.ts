import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packFolder } from '../../server/modules/bundle/archive/pack-folder.ts'
import { removeTree } from '../../server/modules/bundle/archive/remove-tree.ts'
import { unpackBundle } from '../../server/modules/bundle/archive/unpack-bundle.ts'
import type { UnpackedBundle } from '../../server/modules/bundle/archive/unpacked-bundle.ts'
import { UsageError } from './usage-error.ts'

export interface OpenedBundle extends UnpackedBundle, AsyncDisposable {
  /** Where it is unpacked, read-only. */
  readonly folder: string
  /** A temporary folder for the module's data. */
  readonly scratch: string
}

/**
 * Opens a module the way the service does: packs a folder first, and unpacks the bundle with all checks, so that kit
 * and service can never disagree. @throws {BundleError} when the service would refuse it
 */
export async function openBundle(path: string): Promise<OpenedBundle> {
  const found = await stat(path).catch(() => null)
  if (found === null) throw new UsageError(`There is no ${path}.`)
  const work = await mkdtemp(join(tmpdir(), 'reeve-module-'))
  const folder = join(work, 'unpacked')
  const dispose = async (): Promise<void> => {
    await removeTree(folder)
    await rm(work, { recursive: true, force: true })
  }
  try {
    let packed = path
    await mkdir(folder)
    if (found.isDirectory()) {
      packed = join(work, 'module.mcpb')
      await packFolder(path, packed)
    }
    const bundle = await unpackBundle(packed, folder)
    return { ...bundle, folder, scratch: join(work, 'data'), [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
