import type { ColumnType } from '../tool.ts'

export type Dialect = 'postgres' | 'mysql' | 'sqlite'
export type Cell = string | number | boolean | null
export type Parameter = string | number | boolean | null

export interface SqlRows {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
  readonly rows: readonly (readonly Cell[])[]
  /** There are more rows than requested. */
  readonly more: boolean
  /** Set when the rest was not read because the rows were too large. */
  readonly too_large?: boolean
}

export interface SqlChange {
  /** Number of rows changed; null when the database does not say. */
  readonly affected: number | null
  /** What it returned (RETURNING), or null. */
  readonly returned: SqlRows | null
}

/** The parts of a schema, each a list of rows. */
export interface SqlSchema {
  readonly tables: SqlRows
  readonly columns: SqlRows
  readonly indexes: SqlRows
  readonly foreign_keys: SqlRows
}

/**
 * One database of any kind, as the tools use it. Every method connects, does one thing and disconnects. It rejects with
 * a sentence; when `signal` aborts, it stops the statement on the server and then rejects.
 */
export interface SqlDatabase {
  readonly name: string
  readonly dialect: Dialect
  /** One line describing it: product, version, account. */
  about(signal: AbortSignal): Promise<string>
  schema(filter: string, signal: AbortSignal): Promise<SqlSchema>
  /** Runs one reading statement and returns at most `limit` rows. */
  query(sql: string, parameters: readonly Parameter[], limit: number, signal: AbortSignal): Promise<SqlRows>
  explain(sql: string, parameters: readonly Parameter[], signal: AbortSignal): Promise<SqlRows>
  /**
   * Runs one changing statement in a transaction that is rolled back. Rejects where rolling back would not take
   * everything back.
   */
  attempt(sql: string, parameters: readonly Parameter[], signal: AbortSignal): Promise<SqlChange>
  /** Runs one statement in a transaction of its own. */
  execute(sql: string, parameters: readonly Parameter[], signal: AbortSignal): Promise<SqlChange>
}

/** It is unknown whether the change was made. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
}
