import type { RunTable } from '../../db/rows/chat-tables.ts'
import type { ProcedureOfRun } from '../ports/procedures.ts'

/** Which procedure a run carries out; null for any other. */
export function procedureOf({
  procedure_id,
  procedure_version: version,
  procedure_values,
}: Pick<RunTable, 'procedure_id' | 'procedure_version' | 'procedure_values'>): ProcedureOfRun | null {
  if (procedure_id === null || version === null) return null
  return { procedure_id, version, values: JSON.parse(procedure_values ?? '{}') as Record<string, unknown> }
}

/** The same as columns of a run. */
export function procedureColumns(of: ProcedureOfRun | null) {
  return {
    procedure_id: of?.procedure_id ?? null,
    procedure_version: of?.version ?? null,
    procedure_values: of === null ? null : JSON.stringify(of.values),
  }
}
