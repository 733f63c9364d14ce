import { z } from 'zod'
import { Id } from './values.ts'

/** Text of which the beginning is shown; `tokens` are estimated, and of the whole. */
const Shown = { text: z.string(), tokens: z.int(), cut: z.boolean() }

/** A part of the last prompt of a run, in the order in which the engine read them. */
export const PromptPart = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('system'), ...Shown }),
  /** What the person asked every answer to keep in mind. */
  z.strictObject({ kind: z.literal('personal'), ...Shown }),
  z.strictObject({
    kind: z.literal('tools'),
    /** The first 200 of them. */
    tools: z.array(z.strictObject({ name: z.string(), tokens: z.int() })),
    count: z.int(),
    tokens: z.int(),
  }),
  /** So many messages at the beginning of the conversation were not in the prompt. */
  z.strictObject({ kind: z.literal('left_out'), count: z.int(), tokens: z.literal(0) }),
  /** Stands for messages that were left out. */
  z.strictObject({ kind: z.literal('summary'), ...Shown }),
  z.strictObject({
    kind: z.literal('message'),
    message_id: Id,
    role: z.enum(['user', 'assistant']),
    ...Shown,
    /** `tokens` are null for files of earlier messages, whose size in the prompt is not kept. */
    files: z.array(z.strictObject({ name: z.string(), tokens: z.int().nullable() })),
    /** Arguments and results as the engine read them, with secrets masked. */
    calls: z.array(z.strictObject({ name: z.string(), arguments: z.string(), result: z.string(), cut: z.boolean() })),
  }),
])
export type PromptPart = z.infer<typeof PromptPart>

export const PromptSeen = z.strictObject({
  run_id: Id,
  /** False without an engine, for a run without an answer, and for runs from before prompts were recorded. */
  recorded: z.boolean(),
  parts: z.array(PromptPart),
  /** Estimated, of all parts. */
  tokens: z.int(),
  /** Older results of tools were shortened to fit. */
  shortened: z.boolean(),
  /** There were more messages than are listed here: only the newest 100 are. */
  more: z.boolean(),
})
export type PromptSeen = z.infer<typeof PromptSeen>
