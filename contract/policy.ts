import { z } from 'zod'
import { json, route } from './route.ts'
import { Decision, EffectName, Rule } from './rules.ts'
import { Id, Timestamp } from './values.ts'

/** Calls of one tool that were decided alike. */
export const SimulatedCalls = z.strictObject({
  module: z.string(),
  tool: z.string(),
  title: z.string(),
  calls: z.int(),
  last_at: Timestamp,
  /** The decision at the time. */
  decided: EffectName,
  /** The decision by the saved rules. */
  saved: EffectName,
  /** The decision by the given rules. */
  given: EffectName,
})
export type SimulatedCalls = z.infer<typeof SimulatedCalls>

/** Queries to the policy engine, for administrators; they change nothing. */
export const policy = {
  explainPolicy: route({
    method: 'POST',
    path: '/api/admin/policy/explain',
    summary: 'What the policy says for a user or role and a tool or permission, and why',
    access: 'admin',
    body: json(
      z
        .strictObject({
          user_id: Id.optional(),
          role: z.string().max(100).optional(),
          /** `<module>.<tool>`, or a permission such as `files.read`. */
          tool: z.string().min(1).max(200),
          arguments: z.record(z.string(), z.unknown()).optional(),
        })
        .refine((body) => (body.user_id === undefined) !== (body.role === undefined), {
          message: 'give either user_id or role',
        }),
    ),
    response: json(Decision.extend({ subject: z.string(), role: z.string(), known_tool: z.boolean() })),
    errors: ['not_found'],
  }),
  simulatePolicy: route({
    method: 'POST',
    path: '/api/admin/policy/simulate',
    summary: 'How past tool calls of a role would be decided under other rules. Nothing is changed',
    access: 'admin',
    body: json(
      z.strictObject({
        role_id: Id,
        rules: z.array(Rule).max(1000),
        days: z.int().min(1).max(365).default(30),
        /** Maximum number of tools in the answer. */
        limit: z.int().min(1).max(200).default(50),
      }),
    ),
    response: json(
      z.strictObject({
        /**
         * Number of calls examined, and of those: decided differently by the given rules, and of tools that aren't
         * running now.
         */
        calls: z.int(),
        changed: z.int(),
        missing: z.int(),
        /** There were more calls; only the newest were examined. */
        partial: z.boolean(),
        /** Those decided differently, most frequent first. */
        items: z.array(SimulatedCalls),
        /** By position in the given rules, of those with conditions: the calls they were tried with, and apply to. */
        by_rule: z.array(z.strictObject({ rule: z.int(), calls: z.int(), applies: z.int() })).optional(),
      }),
    ),
    errors: ['not_found'],
  }),
}
