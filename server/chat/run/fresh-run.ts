import type { RunTable } from '../../db/rows/chat-tables.ts'

/** The empty fields of every new or imported run: nothing used, nothing failed, not stopped. */
export const FRESH_RUN = {
  engine_id: null,
  engine: null,
  cancel_requested_at: null,
  warning: null,
  error_code: null,
  error_detail: null,
  input_tokens: 0,
  output_tokens: 0,
  cost_micros: null,
  bounds: null,
  tool_modules: null,
  procedure_id: null,
  procedure_version: null,
  procedure_values: null,
} as const satisfies Partial<RunTable>
