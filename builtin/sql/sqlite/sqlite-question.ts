import type { Parameter } from '../sql-database.ts'

/** What the process of one SQLite statement is asked. */
export interface SqliteQuestion {
  readonly file: string
  /** `explain`: it may name changes, because none of it is run. */
  readonly mode: 'read' | 'explain' | 'write'
  readonly timeout_ms: number
  /** Statements that run one after the other; the answer has the rows of each. */
  readonly statements: readonly { sql: string; parameters: readonly Parameter[] }[]
  readonly limit: number
  /** Characters of all cells together. */
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
