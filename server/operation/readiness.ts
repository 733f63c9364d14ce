import type { Database } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import type { StorageWatch } from './storage-watch.ts'

/** An id no stored file has, so that asking whether the store answers does not touch one. */
const NO_FILE = 'fil_00000000000000000000000000'
/** How long an answer of the store stays valid, because buckets charge for requests. */
const STORE_MS = 10_000
const RETRY_S = 5

export interface ReadinessOptions {
  readonly db: Database
  readonly storage: StorageWatch
  readonly store: { size(id: string): Promise<number | null> }
}

/**
 * Creates the readiness check: the database answers, messages of other processes are received, the store answers, and
 * there is room. Migrations have been done before the server listens at all. @throws {AppError} not_ready, storage_full
 */
export function readiness({ db, storage, store }: ReadinessOptions): () => Promise<void> {
  let asked = -Infinity
  return async () => {
    await db.ping().catch((error: unknown) => {
      throw new AppError('not_ready', away(db), { cause: error, retryAfter: RETRY_S })
    })
    if (!db.hears)
      throw new AppError('not_ready', say`Messages from other processes cannot be received at the moment.`, {
        retryAfter: RETRY_S,
      })
    if (performance.now() - asked > STORE_MS) {
      await store.size(NO_FILE).catch((error: unknown) => {
        throw new AppError('not_ready', say`The file store does not answer.`, { cause: error, retryAfter: RETRY_S })
      })
      asked = performance.now()
    }
    if (storage.full) await storage.look()
    if (storage.full)
      throw new AppError(
        'storage_full',
        say`The disk of the service is full, so nothing can be stored. Existing data can still be read. Tell an administrator.`,
      )
  }
}

function away({ shortage }: Database): Sentence {
  if (shortage === 'refused') return say`The database takes no more connections.`
  if (shortage === 'exhausted') return say`All connections to the database are in use.`
  return say`The database does not answer.`
}
