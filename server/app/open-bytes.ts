import { join } from 'node:path'
import type { Config } from './config.ts'
import type { ByteStore } from '../files/byte-store.ts'
import { openFolderStore } from '../files/folder-store.ts'

/**
 * The storage for bytes: the configured S3 store, else a folder. `folder` is below the data folder, `name` its name in
 * the store.
 */
export async function openBytes(
  { filesAddress: address, dataFolder }: Pick<Config, 'filesAddress' | 'dataFolder'>,
  { folder, name, ids }: { folder: string; name: 'files' | 'packages' | 'module-data'; ids?: RegExp },
): Promise<ByteStore> {
  if (address === null) return openFolderStore(join(dataFolder, folder), ids)
  const { openS3Store } = await import('../files/s3/s3-store.ts')
  return openS3Store({ address, folder: name, ...(ids === undefined ? {} : { ids }) })
}
