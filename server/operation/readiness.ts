import type { Database } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import type { StorageWatch } from './storage-watch.ts'

/** An id no stored file has, so that asking whether the store answers does not touch one. */
const NO_FILE = 'fil_00000000000000000000000000'
/** How long an answer of the store stays valid, because buckets charge for requests. */
const STORE_MS = 10_000
const RETRY_S = 5
/** Milliseconds that the store gets to answer: whoever asks whether we are ready does not wait long. */
const STORE_ANSWER_MS = 4000

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
      throw new AppError('not_ready', say`The database does not answer.`, { cause: error, retryAfter: RETRY_S })
    })
    if (!db.hears)
      throw new AppError('not_ready', say`Messages from other processes cannot be received at the moment.`, {
        retryAfter: RETRY_S,
      })
    if (performance.now() - asked > STORE_MS) {
      await within(STORE_ANSWER_MS, store.size(NO_FILE)).catch((error: unknown) => {
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

async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
