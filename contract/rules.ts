import { z } from 'zod'

/** What a role says of a permission or a tool, and what the policy engine makes of it. */
export const EffectName = z.enum(['allow', 'ask', 'deny'])
/** `codex.use`, `files.read` …, `tool:<module>.<tool>` or `tool:<module>.*`. */
export const Subject = z
  .string()
  .regex(/^(codex\.use|files\.(read|create|delete)|tool:[a-z0-9][a-z0-9-]{0,63}\.(\*|[A-Za-z0-9_.-]{1,128}))$/)
export const Rule = z.strictObject({ subject: Subject, effect: EffectName })

/** One step of the policy engine's reasoning, in the order in which it was taken. */
export const TraceStep = z.strictObject({
  step: z.string(),
  matched: z.boolean(),
  subject: z.string().nullable(),
  effect: EffectName.nullable(),
  note: z.string(),
})
export const Decision = z.strictObject({ effect: EffectName, reason: z.string(), trace: z.array(TraceStep) })
