import type { Config } from './config.ts'
import type { Database } from '../db/database.ts'
import type { Log } from '../kernel/log.ts'
import { StorageWatch } from '../operation/storage-watch.ts'

/** Looks at the room that is left; what is kept to be faster goes first. */
export function watchStorage(
  { dataFolder }: Pick<Config, 'dataFolder'>,
  { db, log, caches }: { db: Database; log: Log; caches: readonly { dropCaches(): Promise<unknown> }[] },
): StorageWatch {
  return new StorageWatch({
    db,
    dataFolder,
    log: log.child({ part: 'storage' }),
    dropCaches: async () => {
      for (const cache of caches) await cache.dropCaches()
    },
  })
}
