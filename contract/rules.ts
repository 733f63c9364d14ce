import { z } from 'zod'
import { TOKEN_SUBJECTS } from './route.ts'
import { ConditionStep, RuleSpec } from './rule-conditions.ts'

/** What a role says about a permission or a tool, and what the policy engine concludes from it. */
export const EffectName = z.enum(['allow', 'ask', 'deny'])
const PERMISSIONS = 'codex\\.use|files\\.(read|create|delete)|conversations\\.import|audit\\.read|procedures\\.review'
const TOOLS = 'tool:[a-z0-9][a-z0-9-]{0,63}\\.(\\*|[A-Za-z0-9_.-]{1,128})'
const PROCEDURES = 'procedure:pcd_[0-9a-z]{28}'
const MACHINES = `([A-Za-z0-9][A-Za-z0-9._-]{0,62}|#[a-z0-9][a-z0-9._-]{0,31})`

/**
 * `codex.use`, `files.read` …, `tool:<module>.<tool>` or `tool:<module>.*`. On machines: `host:<name>`, `host:#<tag>`, and
 * after a tool `@<name>` or `@#<tag>`; `#all` is all of them. `procedure:<id>`: running its reviewed versions.
 */
export const Subject = z
  .string()
  .regex(new RegExp(`^(${PERMISSIONS}|${TOOLS}(@${MACHINES})?|host:${MACHINES}|${PROCEDURES})$`))
/** `tool:<module>.<tool>`, or `tool:<module>.*` for a whole module. */
export const ToolSubject = z.string().regex(new RegExp(`^${TOOLS}$`))
/** What an access token may be narrowed to: a subject of rules, or something that people always have. */
export const TokenScope = z.union([
  z.string().regex(new RegExp(`^(${PERMISSIONS}|${TOOLS}|${PROCEDURES})$`)),
  z.enum(TOKEN_SUBJECTS),
])
/** A rule without conditions is `subject` and `effect` alone. */
export const Rule = z.strictObject({ subject: Subject, effect: EffectName, ...RuleSpec.shape })

/** Name of the built-in role that nobody has and whose rules bind everybody, administrators included. */
export const EVERYBODY = 'everybody'

/** How the audit log keeps calls that only read: not at all, counted by hour, or each with its arguments. */
export const AuditReads = z.enum(['off', 'count', 'full'])
export type AuditReads = z.infer<typeof AuditReads>

/** One step of the policy engine's reasoning; the steps are in order. */
export const TraceStep = z.strictObject({
  step: z.string(),
  matched: z.boolean(),
  subject: z.string().nullable(),
  effect: EffectName.nullable(),
  note: z.string(),
  /** Of a rule that has conditions: each of them, in order. */
  conditions: z.array(ConditionStep).optional(),
})
export const Decision = z.strictObject({ effect: EffectName, reason: z.string(), trace: z.array(TraceStep) })
