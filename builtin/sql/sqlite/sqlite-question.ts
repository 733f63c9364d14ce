import type { Parameter } from '../sql-database.ts'

/** The request to the process of one SQLite statement. */
export interface SqliteQuestion {
  readonly file: string
  /** `explain` may contain changes, because nothing is run; those of `attempt` are rolled back. */
  readonly mode: 'read' | 'explain' | 'attempt' | 'write'
  readonly timeout_ms: number
  /** Statements to run in order; the answer has the rows of each. */
  readonly statements: readonly { sql: string; parameters: readonly Parameter[] }[]
  readonly limit: number
  /** Limit of the characters in all cells together. */
  readonly size: number
}

export interface SqliteRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SqliteCell[])[]
  readonly more: boolean
  readonly too_large: boolean
  readonly affected: number | null
}
export type SqliteCell = string | number | bigint | Uint8Array | null

export type SqliteAnswer = { readonly results: readonly SqliteRows[] } | { readonly message: string }
