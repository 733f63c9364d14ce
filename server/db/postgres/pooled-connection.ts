import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type { PoolClient } from 'pg'
import { databaseFailure } from './database-failure.ts'
import { dropConnection } from './drop-connection.ts'
import { BEGIN, SILENT, UNHURRIED } from './postgres-limits.ts'

/**
 * A connection of the pool as Kysely uses it: transactions begin with their limits, what says that the database is away
 * becomes a StorageAway, and a connection that nothing comes through any more is given up.
 */
export class PooledConnection implements PostgresPoolClient {
  readonly #client: PoolClient
  #hurried = true

  constructor(client: PoolClient) {
    this.#client = client
  }

  get processID(): number | undefined {
    return (this.#client as unknown as { processID?: number }).processID
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  /** Not used: nothing here reads by a cursor. */
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query(text: unknown, parameters: readonly unknown[] = []): unknown {
    return this.#query(text as string, [...parameters])
  }

  release(destroy?: boolean): void {
    this.#hurried = true
    this.#client.release(destroy)
  }

  async #query(text: string, parameters: unknown[]): Promise<unknown> {
    const begins = text === 'begin'
    if (begins) this.#hurried = true
    if (text === UNHURRIED) this.#hurried = false
    const silence = this.#hurried ? setTimeout(() => this.#giveUp(), SILENT) : undefined
    try {
      return await this.#client.query(begins ? BEGIN : text, parameters)
    } catch (error) {
      throw databaseFailure(error)
    } finally {
      clearTimeout(silence)
    }
  }

  /** After a pause of the whole process the answer may be here already: it is read before this runs. */
  #giveUp(): void {
    const why = new Error(`Connection terminated: no answer for ${SILENT} ms`)
    setImmediate(() => dropConnection(this.#client, why))
  }
}
