import { z } from 'zod'
import { FileEntry } from './files.ts'
import { RunStatus } from './messages.ts'
import { PromptSeen } from './prompt-seen.ts'
import { json, route } from './route.ts'
import { Id, Timestamp } from './values.ts'

export const AiMode = z.enum(['model', 'direct'])

export const FileParsing = z.strictObject({
  file_id: Id,
  name: z.string(),
  parser: z.string(),
  status: z.enum(['parsed', 'partial', 'unsupported', 'failed']),
  characters: z.int(),
  pages: z.int().optional(),
  sheets: z.int().optional(),
  detail: z.string().optional(),
})
export const AttachmentContext = z.strictObject({
  characters: z.int(),
  truncated: z.boolean(),
  items: z.array(
    z.strictObject({
      file_id: Id,
      name: z.string(),
      characters: z.int(),
      truncated: z.boolean(),
      as: z.enum(['text', 'image', 'none']),
    }),
  ),
})

export const RunDetails = z.strictObject({
  run_id: Id,
  conversation_id: Id,
  status: RunStatus,
  ai_mode: AiMode,
  /** The name of the engine that answered; null in direct mode, and for runs from before engines had names. */
  engine: z.string().nullable(),
  model: z.string().nullable(),
  steps: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  /** Millionths of the currency of the prices; null when no price is set. */
  cost_micros: z.int().nullable(),
  started_at: Timestamp,
  ended_at: Timestamp.nullable(),
  /** Milliseconds in which it waited for a person to decide or to answer. */
  waited_ms: z.int(),
  /**
   * Why it failed: one of ENGINE_FAILURES (`engine_key`, `engine_rate` …), `quota_used_up`, `forbidden` or `run_failed`;
   * null if it did not.
   */
  error_code: z.string().nullable(),
  /** The procedure that it carried out, and with what; null for any other run. */
  procedure: z
    .strictObject({ procedure_id: Id, version: z.int(), values: z.record(z.string(), z.unknown()) })
    .nullable(),
  attachments: z.array(FileEntry),
  file_content_parsing: z.array(FileParsing),
  attachment_context: AttachmentContext,
})

/** The runs of the caller; runs-admin has everybody's. */
export const runs = {
  listRuns: route({
    method: 'GET',
    path: '/api/chat/runs',
    summary: 'My active runs, oldest first',
    access: 'session',
    tokenNeeds: 'conversations.read',
    revised: true,
    response: json(
      z.strictObject({
        items: z.array(
          z.strictObject({
            run_id: Id,
            conversation_id: Id,
            title: z.string(),
            status: RunStatus,
            started_at: Timestamp,
          }),
        ),
      }),
    ),
    errors: [],
  }),
  run: route({
    method: 'GET',
    path: '/api/chat/runs/{run_id}',
    summary: 'A run: status, tokens, cost, and what the model saw of the attachments',
    access: 'session',
    tokenNeeds: 'conversations.read',
    params: z.object({ run_id: Id }),
    response: json(RunDetails),
    errors: ['not_found'],
  }),
  prompt: route({
    method: 'GET',
    path: '/api/chat/runs/{run_id}/prompt',
    summary: 'The last prompt of a run: everything that its engine read, in order, with estimated sizes',
    access: 'session',
    tokenNeeds: 'conversations.read',
    params: z.object({ run_id: Id }),
    response: json(PromptSeen),
    errors: ['not_found'],
  }),
}
