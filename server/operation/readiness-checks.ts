import type { Database } from '../db/database.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import type { ReadinessCheck } from './readiness.ts'
import type { StorageWatch } from './storage-watch.ts'

/** An id no stored file has, so that asking whether the store answers does not touch one. */
const NO_FILE = 'fil_00000000000000000000000000'
/** How long an answer of the store stays valid, because buckets charge for requests. */
const STORE_MS = 10_000

/** What must hold for requests to be served; the first that does not is named to everybody. */
export function readinessChecks(of: {
  readonly db: Database
  readonly storage: StorageWatch
  readonly store: { size(id: string): Promise<number | null> }
  /** Whether the service has been told to stop. */
  readonly draining: () => boolean
}): readonly ReadinessCheck[] {
  const { db, storage, store } = of
  return [
    { name: 'draining', problem: say`The service is stopping.`, holds: () => !of.draining() },
    { name: 'database', problem: () => away(db), holds: () => db.ping().then(() => true) },
    {
      name: 'wake_ups',
      problem: say`Messages from other processes cannot be received at the moment.`,
      holds: () => db.hears,
    },
    {
      name: 'migrations',
      problem: say`The database does not have the tables that this version needs.`,
      holds: () => db.fits(),
    },
    { name: 'store', problem: say`The file store does not answer.`, holds: rarely(() => store.size(NO_FILE)) },
    {
      name: 'space',
      code: 'storage_full',
      problem: say`The disk of the service is full, so nothing can be stored. Existing data can still be read. Tell an administrator.`,
      holds: async () => {
        if (storage.full) await storage.look()
        return !storage.full
      },
    },
  ]
}

function away({ shortage }: Database): Sentence {
  if (shortage === 'refused') return say`The database takes no more connections.`
  if (shortage === 'exhausted') return say`All connections to the database are in use.`
  return say`The database does not answer.`
}

/** Asks again only some time after the last answer. */
function rarely(ask: () => Promise<unknown>): () => Promise<boolean> {
  let answered = -Infinity
  return async () => {
    if (performance.now() - answered <= STORE_MS) return true
    await ask()
    answered = performance.now()
    return true
  }
}
