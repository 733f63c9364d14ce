import type { Reader } from '../../db/database.ts'
import type { Sentence } from '../../kernel/sentence.ts'

/** Which version of a procedure a run carries out, and with what: stored with the run. */
export interface ProcedureOfRun {
  readonly procedure_id: string
  readonly version: number
  readonly values: Readonly<Record<string, unknown>>
}

/** A step with its values filled in. */
export interface PlannedStep {
  readonly module: string
  readonly tool: string
  /** Of the tool that was reviewed. */
  readonly definition_hash: string
  readonly arguments: Record<string, unknown>
  readonly note: string
  /** Whoever runs it is asked before. */
  readonly confirm: boolean
}

/** What a run of a procedure does, as of now. */
export interface ProcedurePlan {
  readonly procedure_id: string
  readonly name: string
  /** Of what was reviewed. */
  readonly content_hash: string
  readonly steps: readonly PlannedStep[]
  /** Why none of it may run: it was not reviewed, or is not what was reviewed, or a value is none that it takes. */
  readonly problem: Sentence | null
}

/** The port through which a run learns what a procedure does. `procedures` implements it, `app` fills it. */
export interface Procedures {
  plan(reader: Reader, run: ProcedureOfRun): Promise<ProcedurePlan>
}

/** What a call is to the procedure that its run carries out, for the policy. */
export interface ProcedureCall {
  readonly procedure_id: string
  /** Empty: there is no such version any more. */
  readonly name: string
  readonly content_hash: string
  /** It is the reviewed step: the same tool, the same definition, the same arguments. */
  readonly reviewed: boolean
  readonly confirm: boolean
}
