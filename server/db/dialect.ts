import type { CreateTableBuilder, Kysely, Transaction } from 'kysely'
import type { Tables } from './schema.ts'

/** What differs between the two databases, and nothing else. Queries are written once, for both. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** Where the embedded database is; null for a server. */
  readonly file: string | null
  /** Adds an integer primary key that the database counts up and never uses twice. */
  counter(column: string): <T extends CreateTableBuilder<never, never>>(table: T) => T
  /**
   * Until the transaction ends, other transactions that ask for the same key wait: rows that a counter numbers become
   * visible in the order of their numbers.
   */
  serialize(trx: Transaction<Tables>, key: string): Promise<void>
  /** True for the error of a unique constraint or index, whichever the driver. */
  isUniqueViolation(error: unknown): boolean
  /** Writes a copy of the database before it is migrated; returns where, or null where the operator backs up. */
  backup(label: string): Promise<string | null>
  /** Sends `payload` (an id, at most 200 characters) to the other processes on this database. */
  notify(db: Kysely<Tables>, payload: string): Promise<void>
  /** Receives what other processes send; `missed` is called when some of it may not have been heard. */
  listen(receive: (payload: string) => void, missed: () => void): Promise<void>
  /** An exclusive lock over all processes while `work` runs: one of them migrates. */
  exclusively<T>(db: Kysely<Tables>, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}
