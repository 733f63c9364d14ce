import type { CreateTableBuilder, Kysely, RawBuilder, Transaction } from 'kysely'
import type { Tables } from './schema.ts'

/** The differences between the two databases, and nothing else. Queries are written once, for both. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** The path of the embedded database; null for a server. */
  readonly file: string | null
  /** Adds an auto-incremented integer primary key that is never reused. */
  counter(column: string): <T extends CreateTableBuilder<never, never>>(table: T) => T
  /**
   * Until the transaction ends, other transactions that request the same key wait: rows numbered by a counter become
   * visible in the order of their numbers.
   */
  serialize(trx: Transaction<Tables>, key: string): Promise<void>
  /**
   * Like `serialize`, for work that somebody else may do as well: false, at once, while another transaction has the key.
   */
  trySerialize(trx: Transaction<Tables>, key: string): Promise<boolean>
  /**
   * Until the transaction ends, whoever requests the key with `serialize` waits, and others who share it do not. Waits
   * itself while a transaction has serialized it.
   */
  share(trx: Transaction<Tables>, key: string): Promise<void>
  /**
   * The time of the database in epoch milliseconds, as an expression: what several processes compare is not taken from
   * their own clocks. It goes on within a transaction.
   */
  readonly now: RawBuilder<number>
  /** True for a violation of a unique constraint or index, whatever the driver. */
  isUniqueViolation(error: unknown): boolean
  /**
   * Writes a copy of the database before it is migrated; returns its path, or null when backups are up to the operator.
   */
  backup(label: string): Promise<string | null>
  /** Sends `payloads` (ids, at most 200 characters each) to the processes on this database, in one statement. */
  notify(db: Kysely<Tables>, payloads: readonly string[]): Promise<void>
  /**
   * Receives what other processes send; `missed` is called when some of it may have been lost. @throws {OperatorProblem}
   * when what this process sends to itself does not arrive
   */
  listen(receive: (payload: string) => void, missed: () => void): Promise<void>
  /** Whether notifications of other processes currently arrive. */
  isListening(): boolean
  /** Why a connection to the database cannot be had, as far as is known; null: one can. */
  shortage(): 'exhausted' | 'refused' | null
  /** One transaction that changes the schema, while other processes work. */
  changeSchema<T>(db: Kysely<Tables>, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Lifts the limits of time for the rest of the transaction, for loading a backup. */
  unhurried(trx: Transaction<Tables>): Promise<void>
  /** Whether other processes of the service are on this database, of whichever version. */
  othersRun(db: Kysely<Tables>): Promise<boolean>
  /** Holds an exclusive lock across all processes while `work` runs: only one of them migrates. */
  exclusively<T>(db: Kysely<Tables>, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}
