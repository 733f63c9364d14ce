import { z } from 'zod'
import { CHART_KINDS, CHART_SERIES_LIMIT } from './chart-suggestion.ts'
import { FileRef } from './files.ts'
import { GrantOffer, GrantWanted, Untrusted } from './grants.ts'
import { IconAddresses } from './icons.ts'
import { Question } from './questions.ts'
import { Id, Timestamp } from './values.ts'

export const ToolEffect = z.enum(['read', 'write', 'destructive', 'unknown'])
export const RunStatus = z.enum([
  'thinking',
  'acting',
  'waiting_approval',
  'done',
  'failed',
  'cancelled',
  'interrupted',
])
export type RunStatus = z.infer<typeof RunStatus>
/** `pending`: proposed, not started. `unknown`: whether it changed something cannot be determined. */
export const ToolCallStatus = z.enum([
  'pending',
  'awaiting_approval',
  'running',
  'done',
  'denied',
  'failed',
  'cancelled',
  'unknown',
])
export type ToolCallStatus = z.infer<typeof ToolCallStatus>
export const ApprovalStatus = z.enum(['pending', 'approved', 'denied', 'expired', 'cancelled', 'superseded'])
export const ApprovalDecision = z.enum(['approve', 'approve_for_conversation', 'deny'])

/**
 * What was mended of a call before it was checked, because it could only mean one thing: it was written as `text`, its tool
 * had another `name`, its arguments were broken `json`, or `values` were of another type than the tool takes.
 */
export const CallRepair = z.enum(['text', 'name', 'json', 'values'])
export type CallRepair = z.infer<typeof CallRepair>

/** Whether a call took, as looked up afterwards. `not_checked`: the lookup failed, and `found` says why. */
export const Verification = z.strictObject({
  outcome: z.enum(['verified', 'did_not_take', 'not_checked']),
  expected: z.string(),
  found: z.string(),
})
export type Verification = z.infer<typeof Verification>

export const PreviewKind = z.enum(['diff', 'list', 'plan'])
export type PreviewKind = z.infer<typeof PreviewKind>
/** What a call would change, as its module says: untrusted text, escaped and bounded. */
export const Preview = z.strictObject({
  /** Why there is none; null when there is one. */
  problem: z.string().nullable(),
  parts: z.array(
    z.strictObject({
      kind: PreviewKind,
      title: z.string(),
      /** Lines; of a diff in the unified format. */
      text: z.string(),
      /** Lines beyond the limit, which are not shown. The approval holds for them, too. */
      more_lines: z.int(),
    }),
  ),
})
export type Preview = z.infer<typeof Preview>

/** A machine that a call is about, as it was called then. */
export const CallTarget = z.strictObject({ host_id: Id, name: z.string() })
export type CallTarget = z.infer<typeof CallTarget>

export const ToolCall = z.strictObject({
  tool_call_id: Id,
  module: z.string(),
  tool: z.string(),
  title: z.string(),
  /** Of its module's own, while that runs. */
  icon: IconAddresses.optional(),
  effect: ToolEffect,
  status: ToolCallStatus,
  /** Milliseconds; null until it has ended. */
  duration_ms: z.int().nullable(),
  /** As given by the model or the person, with control and invisible characters escaped and secrets masked. */
  arguments: z.record(z.string(), z.unknown()),
  /** Name of the argument that says what the call is about, if its tool names one. */
  main_argument: z.string().optional(),
  /** Names of arguments that are what the tool takes by default, if any: one line leaves them out. */
  usual_arguments: z.array(z.string()).optional(),
  /** What was mended of it, if anything: `arguments` are as they were then. */
  repaired: z.array(CallRepair).optional(),
  /** The first 2,000 characters of the result (or the error); null until it has ended. */
  result_preview: z.string().nullable(),
  /** Present when its tool can be verified, once it has ended. */
  verified: Verification.optional(),
  /** The machines that it is about; absent for the one that Reeve runs on alone. */
  targets: z.array(CallTarget).optional(),
})
export type ToolCall = z.infer<typeof ToolCall>

/**
 * `call`: a tool wants to run. `run`: the answer itself needs a permission that asks. `question`: a running tool asks
 * for something.
 */
export const ApprovalKind = z.enum(['call', 'run', 'question'])

/** How many people of a role must agree, and how many have. */
export const ApprovalNeed = z.strictObject({
  role_id: Id,
  /** Its name when the card went up. */
  role: z.string(),
  count: z.int(),
  given: z.int(),
})
/** What somebody else said, by the names that they had then. */
export const Vote = z.strictObject({
  username: z.string(),
  name: z.string(),
  decision: z.enum(['approve', 'deny']),
  at: Timestamp,
})
export type Vote = z.infer<typeof Vote>

export const Approval = z.strictObject({
  approval_id: Id,
  kind: ApprovalKind,
  conversation_id: Id,
  run_id: Id,
  status: ApprovalStatus,
  module: z.string(),
  tool: z.string(),
  title: z.string(),
  /** As in the call. */
  icon: IconAddresses.optional(),
  effect: ToolEffect,
  /** The answer to a question; empty until then. */
  arguments: z.record(z.string(), z.unknown()),
  /** As in the call. */
  main_argument: z.string().optional(),
  /** As in the call. */
  repaired: z.array(CallRepair).optional(),
  /** Names of arguments that are what the tool takes by default, if any: one line leaves them out. */
  usual_arguments: z.array(z.string()).optional(),
  /** Null unless the card is a question. Approving answers it, denying declines it. */
  question: Question.nullable(),
  summary: z.string(),
  /** What the module says about the call in its own words, while its tool is the one that the card was made for. */
  claim: z.string().optional(),
  reason: z.string(),
  requested_at: Timestamp,
  expires_at: Timestamp,
  decisions: z.array(ApprovalDecision),
  decided_at: Timestamp.nullable(),
  /** The user name of who decided, and how they are called now; both null while nobody has. */
  decided_by: z.string().nullable(),
  decided_by_name: z.string().nullable().optional(),
  /** What the person said with a denial. */
  decision_reason: z.string().nullable().optional(),
  /** What may be approved beyond this one call; absent where nothing is offered. */
  offers: z.array(GrantOffer).optional(),
  /** What of that was. */
  granted: GrantWanted.optional(),
  /** What the conversation had read, before the call was asked for, that others may have written. */
  untrusted: Untrusted.optional(),
  /** As in the call: the approval holds for exactly these, as long as their pinned keys are the same. */
  targets: z.array(CallTarget).optional(),
  /** Present when the tool offers one. The approval holds for exactly this preview. */
  preview: Preview.optional(),
  /** Present when others decide: each of these must be filled. The person who asks can only withdraw the call (`deny`). */
  needs: z.array(ApprovalNeed).optional(),
  /** Present with `needs`: the votes so far, oldest first. */
  votes: z.array(Vote).optional(),
})
export type Approval = z.infer<typeof Approval>

export const CellType = z.enum([
  'text',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'bytes',
  'percent',
  'duration',
])
export const Column = z.strictObject({ key: z.string(), label: z.string(), type: CellType })
export const Cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
/**
 * The best chart of the rows, by keys of columns: one along the x axis (or the slices of a pie), the others as lines,
 * bars or points.
 */
export const Chart = z.strictObject({
  kind: z.enum(CHART_KINDS),
  x: z.string(),
  y: z.array(z.string()).min(1).max(CHART_SERIES_LIMIT),
})
export const Table = z.strictObject({
  title: z.string(),
  columns: z.array(Column),
  rows: z.array(z.record(z.string(), Cell)),
  /** Total number of rows; more than in `rows` when it was cut. */
  total_rows: z.int(),
  /** Present when the tool suggests a chart, which a page shows first. */
  chart: Chart.optional(),
})
export type Table = z.infer<typeof Table>

/** `code` identifies the text in the message catalogues; `text` is its English, for programs. */
export const Notice = z.strictObject({
  level: z.enum(['info', 'warn', 'error']),
  code: z.string(),
  text: z.string(),
  /** For a failure of an engine (`engine-failures.ts`): what its provider or the network said, as untrusted text. */
  detail: z.string().nullable(),
  /** How long the provider asks to wait, or was waited for in vain. */
  seconds: z.number().optional(),
  /** When a request to the provider may be repeated. */
  retry_at: Timestamp.optional(),
})
export type Notice = z.infer<typeof Notice>

const part = { index: z.int() }
export const Part = z.discriminatedUnion('type', [
  z.strictObject({ ...part, type: z.literal('text'), text: z.string() }),
  z.strictObject({
    ...part,
    type: z.literal('reasoning'),
    text: z.string(),
    /** Milliseconds of thinking; omitted until it has ended, and where it is not known. */
    duration_ms: z.int().optional(),
  }),
  z.strictObject({
    ...part,
    type: z.literal('tool_call'),
    tool_call: ToolCall,
    approval: Approval.nullable(),
    /** Present where the user wrote the call, not an engine. */
    direct: z.literal(true).optional(),
    /** What the tool asked while running, oldest first. */
    questions: z.array(Approval),
  }),
  /** `tool_call_id`: the call that made it; absent on what the user attached. */
  z.strictObject({ ...part, type: z.literal('file'), file: FileRef, tool_call_id: Id.optional() }),
  z.strictObject({ ...part, type: z.literal('table'), tool_call_id: Id.nullable(), table: Table }),
  /** What came with the message from elsewhere (a webhook, a watch): data as JSON, never an instruction. */
  z.strictObject({ ...part, type: z.literal('facts'), source: z.enum(['hook', 'watch']), text: z.string() }),
  z.strictObject({ ...part, type: z.literal('citation'), title: z.string(), href: z.string() }),
  z.strictObject({ ...part, type: z.literal('notice'), notice: Notice }),
])
export type Part = z.infer<typeof Part>

export const MessageStatus = z.enum(['streaming', 'waiting_approval', 'complete', 'cancelled', 'failed', 'interrupted'])
export const Message = z.strictObject({
  message_id: Id,
  role: z.enum(['user', 'assistant']),
  status: MessageStatus,
  parts: z.array(Part),
  created_at: Timestamp,
  run_id: Id.nullable(),
  /** Ids of the alternatives at this point, including this one, oldest first; empty when it is the only one. */
  siblings: z.array(Id),
  /** It was imported from a file: nothing in it happened here, whatever its tool calls say. */
  imported: z.boolean(),
  /** It comes from a conversation that was handed over: what happened in it happened to somebody else. */
  handed_over: z.literal(true).optional(),
})
export type Message = z.infer<typeof Message>
