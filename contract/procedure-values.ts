import { z } from 'zod'
import { PROCEDURE_LIMITS, PROCEDURE_STATES } from './procedure-limits.ts'
import { ValueTest } from './rule-conditions.ts'
import { Id, Timestamp } from './values.ts'

/** Of one line, with nothing in it that nobody sees. */
const Line = z
  .string()
  .trim()
  .min(1)
  .regex(/^\P{C}+$/u, 'must be one line without invisible characters')
/** May have several lines. */
const Text = z
  .string()
  .trim()
  .max(PROCEDURE_LIMITS.description)
  .regex(/^[\P{C}\n\t]*$/u, 'must not hold invisible characters')

export const ProcedureName = Line.max(PROCEDURE_LIMITS.name)
export const ParamName = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/)

/** What a value must be for a run to begin; a rule's conditions, and three more. */
export const ParamTest = z.union([
  /** One machine that Reeve knows: by name, or by a tag that it has; `#all` is any. */
  z.strictObject({ hosts: z.array(z.string().min(1).max(64)).min(1).max(50) }),
  /** One line of text that does not begin with “-”. */
  z.strictObject({ any: z.literal(true) }),
  /** Each value of a list. */
  z.strictObject({ each: ValueTest }),
  ValueTest,
])
export type ParamTest = z.infer<typeof ParamTest>

export const Param = z.strictObject({
  name: ParamName,
  title: Line.max(PROCEDURE_LIMITS.name),
  test: ParamTest,
  /** What the form begins with. */
  preset: z.unknown().optional(),
})
export type Param = z.infer<typeof Param>

/** A call as the author writes it. `{"$param": "<name>"}` stands for a whole value, anywhere in the arguments. */
export const DraftStep = z.strictObject({
  module: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  tool: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/),
  /** What it is for. */
  note: z.union([z.literal(''), Line.max(PROCEDURE_LIMITS.note)]),
  arguments: z.record(z.string(), z.unknown()),
  /** Whoever runs it is asked before this step, each time. */
  confirm: z.boolean(),
})
export type DraftStep = z.infer<typeof DraftStep>

export const Draft = z.strictObject({
  name: ProcedureName,
  description: Text,
  params: z.array(Param).max(PROCEDURE_LIMITS.params),
  steps: z.array(DraftStep).min(1).max(PROCEDURE_LIMITS.steps),
})
export type Draft = z.infer<typeof Draft>

/** A procedure as a file. Which definition of a tool is meant is decided where it is imported. */
export const ProcedureFile = z.strictObject({ format: z.literal('reeve-procedure/1'), ...Draft.shape })
export type ProcedureFile = z.infer<typeof ProcedureFile>

const Person = z.strictObject({ user_id: Id, display_name: z.string() })

export const ProcedureStep = z.strictObject({
  ...DraftStep.shape,
  /** Of the tool as it was when this was saved; empty: it did not run then. */
  definition_hash: z.string(),
})
export type ProcedureStep = z.infer<typeof ProcedureStep>

export const ProcedureVersion = z.strictObject({
  version: z.int(),
  state: z.enum(PROCEDURE_STATES),
  name: z.string(),
  description: z.string(),
  params: z.array(Param),
  steps: z.array(ProcedureStep),
  /** Of all that is reviewed: name, description, parameters and steps. */
  content_hash: z.string(),
  author: Person.nullable(),
  reviewer: Person.nullable(),
  /** What the reviewer, or whoever withdrew it, said. */
  review_note: z.string(),
  updated_at: Timestamp,
  reviewed_at: Timestamp.nullable(),
})
export type ProcedureVersion = z.infer<typeof ProcedureVersion>

/** What the reader may do with it now. */
const May = z.strictObject({
  /** Begin, change, submit and delete a draft. */
  edit: z.boolean(),
  /** Decide about what waits for a review. */
  review: z.boolean(),
  run: z.boolean(),
  withdraw: z.boolean(),
})

export const Procedure = z.strictObject({
  procedure_id: Id,
  name: z.string(),
  description: z.string(),
  owner: Person.nullable(),
  /** The reviewed version that runs; null: none. */
  current_version: z.int().nullable(),
  newest: z.strictObject({ version: z.int(), state: z.enum(PROCEDURE_STATES) }),
  may: May,
  updated_at: Timestamp,
})
export type Procedure = z.infer<typeof Procedure>

export const ProcedureProblem = z.strictObject({ path: z.string(), message: z.string() })

export const ProcedureDetail = z.strictObject({
  procedure: Procedure,
  /** Newest first; those that the reader may see. */
  versions: z.array(ProcedureVersion),
  /** Why the newest version could not be submitted, or reviewed, as it is; empty: nothing is in the way. */
  problems: z.array(ProcedureProblem),
  /** Machines by the name of the parameter, for the form of a run: those that the reader may use. */
  machines: z.record(z.string(), z.array(z.string())),
})
export type ProcedureDetail = z.infer<typeof ProcedureDetail>

export const ProcedureRun = z.strictObject({
  run_id: Id,
  version: z.int(),
  status: z.string(),
  /** Who started it. */
  person: Person,
  /** With what, and where to read it; only of the reader's own runs. */
  own: z.strictObject({ conversation_id: Id, values: z.record(z.string(), z.unknown()) }).nullable(),
  steps_done: z.int(),
  /** The step that was under way when its process ended, or of which the tool could not tell: whether it took effect is unknown. */
  unknown_step: z.int().nullable(),
  started_at: Timestamp,
  ended_at: Timestamp.nullable(),
})
export type ProcedureRun = z.infer<typeof ProcedureRun>
