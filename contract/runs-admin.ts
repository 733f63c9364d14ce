import { z } from 'zod'
import { AiMode } from './chat.ts'
import { RunStatus, ToolCallStatus } from './messages.ts'
import { json, optionalJson, route } from './route.ts'
import { ToolSubject } from './rules.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

/** An unfinished run as administrators see it, without its content. */
export const LiveRun = z.strictObject({
  run_id: Id,
  user_id: Id,
  username: z.string(),
  display_name: z.string(),
  status: RunStatus,
  ai_mode: AiMode,
  model: z.string().nullable(),
  steps: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_micros: z.int().nullable(),
  started_at: Timestamp,
  /** Whether stopping it was requested. */
  stopping: z.boolean(),
  /** Calls that are running or waiting now. */
  calls: z.array(
    z.strictObject({
      tool_call_id: Id,
      module: z.string(),
      tool: z.string(),
      status: ToolCallStatus,
      started_at: Timestamp.nullable(),
    }),
  ),
})
export type LiveRun = z.infer<typeof LiveRun>

/** A run that has ended, as administrators see it: without its content, except for their own. */
export const PastRun = z.strictObject({
  run_id: Id,
  user_id: Id,
  username: z.string(),
  display_name: z.string(),
  status: RunStatus,
  ai_mode: AiMode,
  model: z.string().nullable(),
  steps: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_micros: z.int().nullable(),
  started_at: Timestamp,
  ended_at: Timestamp.nullable(),
  error_code: z.string().nullable(),
  /** `<module>.<tool>`, each once, in the order of their first call. At most 10. */
  tools: z.array(z.string()),
  /** Of the caller's own runs only: nobody else may open the conversation. */
  conversation_id: Id.nullable(),
  title: z.string().nullable(),
})
export type PastRun = z.infer<typeof PastRun>

export const OffSwitch = z.strictObject({
  subject: ToolSubject,
  reason: z.string(),
  by: z.string(),
  at: Timestamp,
})
export type OffSwitch = z.infer<typeof OffSwitch>

const Stopped = json(
  z.strictObject({
    ok: Ok,
    cancelled_count: z.int(),
    /** What may have happened if a tool could not be stopped in time. */
    warning: z.string().nullable(),
  }),
)

export const runsAdmin = {
  liveRuns: route({
    method: 'GET',
    path: '/api/admin/runs',
    summary: 'All unfinished runs of everybody, oldest first: who, state, tools, tokens; never content',
    access: 'admin',
    response: json(z.strictObject({ items: z.array(LiveRun), /** At most 500 are listed. */ total: z.int() })),
    errors: [],
  }),
  pastRuns: route({
    method: 'GET',
    path: '/api/admin/runs/history',
    summary: 'Runs of everybody that have ended, newest first: who, when, tools, tokens, cost; content never',
    access: 'admin',
    query: z.object({
      user_id: Id.optional(),
      status: z.enum(['done', 'failed', 'cancelled', 'interrupted']).optional(),
      model: z.string().max(200).optional(),
      /** `direct`: without an engine. */
      ai_mode: AiMode.optional(),
      /** When it began, both included. */
      from: Timestamp.optional(),
      to: Timestamp.optional(),
      limit: limit(50),
      cursor: Cursor,
    }),
    response: json(z.strictObject({ items: z.array(PastRun), next_cursor: NextCursor })),
    errors: [],
  }),
  stopRun: route({
    method: 'POST',
    path: '/api/admin/runs/{run_id}/stop',
    summary: 'Stop a run of anybody',
    access: 'admin',
    params: z.object({ run_id: Id }),
    body: optionalJson(z.strictObject({})),
    response: Stopped,
    errors: ['not_found'],
  }),
  stopAllRuns: route({
    method: 'POST',
    path: '/api/admin/runs/stop',
    summary: 'Stop all runs of everybody',
    access: 'admin',
    body: optionalJson(z.strictObject({})),
    response: Stopped,
    errors: [],
  }),
  switches: route({
    method: 'GET',
    path: '/api/admin/switches',
    summary: 'Tools and modules that are switched off for everybody, with who and why',
    access: 'admin',
    response: json(z.strictObject({ items: z.array(OffSwitch) })),
    errors: [],
  }),
  saveSwitch: route({
    method: 'PUT',
    path: '/api/admin/switches',
    summary: 'Switch a tool or all tools of a module off, which also stops their calls; or on again',
    access: 'admin',
    body: json(
      z.strictObject({
        subject: ToolSubject,
        off: z.boolean(),
        /** Shown to users who are refused. */
        reason: z.string().trim().max(300).default(''),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, items: z.array(OffSwitch) })),
    errors: [],
  }),
}
