/** Of procedures, for pages, too: without what checks them. */
export const PROCEDURE_LIMITS = {
  /** Characters. */
  name: 80,
  description: 2000,
  note: 200,
  /** Fewer than the steps of one answer. */
  steps: 20,
  params: 20,
  /** Characters of all steps as JSON. */
  arguments: 128 * 1024,
  /** Of the whole installation. */
  procedures: 500,
  /** Bytes of a file to import. */
  file: 512 * 1024,
} as const

export const PROCEDURE_STATES = ['draft', 'in_review', 'reviewed', 'rejected', 'withdrawn'] as const
export type ProcedureState = (typeof PROCEDURE_STATES)[number]
