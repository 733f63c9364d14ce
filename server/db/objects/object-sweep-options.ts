import type { Database, Reader } from '../database.ts'
import type { ObjectStoreName } from './unused-objects.ts'

export interface SweptStore {
  remove(id: string): Promise<void>
  list(cursor: string | null): Promise<{ objects: readonly { id: string; written_at: number }[]; next: string | null }>
  removeUnfinished(before: number): Promise<number>
}

export interface ObjectSweepOptions {
  readonly database: Database
  readonly name: ObjectStoreName
  readonly store: SweptStore
  /** Which of these ids a row names. */
  readonly named: (db: Reader, ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** How long an object has to be unused before it is removed. */
  readonly age_ms: number
  /** Whether all objects must be kept at present, for a backup. */
  readonly isHeld: () => Promise<boolean>
}
