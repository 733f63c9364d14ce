import type { ProcedureState } from '../../../contract/procedure-limits.ts'

export interface ProcedureTable {
  procedure_id: string
  /** Null: the account is gone. */
  owner_id: string | null
  name: string
  name_folded: string
  /** The reviewed version that runs; null: none. */
  current_version: number | null
  created_at: number
  updated_at: number
}
export interface ProcedureVersionTable {
  procedure_id: string
  version: number
  state: ProcedureState
  name: string
  description: string
  /** JSON. */
  params: string
  /** JSON. */
  steps: string
  /** Of name, description, params and steps: what a review holds for. */
  content_hash: string
  /** The run that it was made of, which may be gone by now. */
  from_run_id: string | null
  author_id: string | null
  reviewer_id: string | null
  review_note: string
  created_at: number
  updated_at: number
  reviewed_at: number | null
}
