import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packFolder } from '../../server/modules/bundle/pack-folder.ts'
import { removeTree } from '../../server/modules/bundle/remove-tree.ts'
import { unpackBundle } from '../../server/modules/bundle/unpack-bundle.ts'
import type { UnpackedBundle } from '../../server/modules/bundle/unpacked-bundle.ts'
import { UsageError } from './usage-error.ts'

export interface OpenedBundle extends UnpackedBundle, AsyncDisposable {
  /** Where it lies unpacked, read-only. */
  readonly folder: string
  /** A folder to throw away, for the module's data. */
  readonly scratch: string
}

/**
 * Opens a module the way the service does: a folder is packed first, and a bundle is unpacked with all its checks, so that kit
 * and service can never disagree. @throws {BundleError} where the service would refuse it.
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
