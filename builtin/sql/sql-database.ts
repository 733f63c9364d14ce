import type { ColumnType } from '../tool.ts'

export type Dialect = 'postgres' | 'mysql' | 'sqlite'
export type Cell = string | number | boolean | null
export type Parameter = string | number | boolean | null

export interface SqlRows {
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
  readonly rows: readonly (readonly Cell[])[]
  /** There are more rows than were asked for. */
  readonly more: boolean
  /** Why there are more that were not read: the rows were too large. */
  readonly too_large?: boolean
}

export interface SqlChange {
  /** Rows that the statement changed; null where the database does not tell. */
  readonly affected: number | null
  /** What it returned (RETURNING); null when nothing. */
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
 * One database as the tools use it, whatever its kind. Every method connects, does one thing and lets go; rejects with a sentence, and
 * when `signal` aborts it stops the statement on the server and then rejects.
 */
export interface SqlDatabase {
  readonly name: string
  readonly dialect: Dialect
  /** What it is, in one line: product, version, account. */
  about(signal: AbortSignal): Promise<string>
  schema(filter: string, signal: AbortSignal): Promise<SqlSchema>
  /** One reading statement, at most `limit` rows of it. */
  query(sql: string, parameters: readonly Parameter[], limit: number, signal: AbortSignal): Promise<SqlRows>
  explain(sql: string, parameters: readonly Parameter[], signal: AbortSignal): Promise<SqlRows>
  /** One statement in a transaction of its own. */
  execute(sql: string, parameters: readonly Parameter[], signal: AbortSignal): Promise<SqlChange>
}

/** Nobody can tell whether the change was made. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
}
