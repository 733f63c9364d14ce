import type { ProcedureTable, ProcedureVersionTable } from '../db/rows/procedure-tables.ts'

export interface StoredProcedure {
  readonly row: ProcedureTable
  /** Newest first. */
  readonly versions: readonly ProcedureVersionTable[]
}
