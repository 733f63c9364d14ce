import { z } from 'zod'
import { json, route } from './route.ts'
import { ConditionStep } from './rule-conditions.ts'
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

/** Past calls with the same arguments, and how a rule's conditions came out for them. */
export const TriedCall = z.strictObject({
  tool_call_id: Id,
  /** Of the newest one: when, by whom, and how it was decided then. */
  at: Timestamp,
  username: z.string(),
  decision: EffectName,
  calls: z.int(),
  /** As JSON, as the audit log shows them. */
  arguments: z.string(),
  /** They go on. */
  arguments_cut: z.boolean(),
  conditions: z.array(ConditionStep),
})
export type TriedCall = z.infer<typeof TriedCall>

const TriedExample = z.strictObject({ applies: z.boolean(), conditions: z.array(ConditionStep) })

/** Queries to the policy engine, for administrators; they change nothing. */
export const policy = {
  explainPolicy: route({
    method: 'POST',
    path: '/api/admin/policy/explain',
    summary: 'What the policy says for a user or role and a tool, permission or procedure, and why',
    access: 'admin',
    body: json(
      z
        .strictObject({
          user_id: Id.optional(),
          role: z.string().max(100).optional(),
          /** `<module>.<tool>`, a permission such as `files.read`, or `procedure:<id>`. */
          tool: z.string().min(1).max(200),
          /** Of the tool; of a procedure, the values of its parameters. */
          arguments: z.record(z.string(), z.unknown()).optional(),
          /** The machine by name, or `#tag`, of a tool that works on machines; the one that Reeve runs on unless given. */
          host: z.string().min(1).max(64).optional(),
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
  tryRule: route({
    method: 'POST',
    path: '/api/admin/policy/try',
    summary:
      'What a rule about one tool would do: whether it can be saved, how its examples come out, and for which past calls of anybody it would apply. Nothing is changed',
    access: 'admin',
    body: json(
      z.strictObject({
        role_id: Id,
        rule: Rule,
        days: z.int().min(1).max(365).default(90),
      }),
    ),
    response: json(
      z.strictObject({
        /** Why it cannot be saved, and where in the rule: a path such as `when.0` or `examples.match.1`. */
        problem: z.strictObject({ code: z.string(), path: z.string(), message: z.string() }).nullable(),
        /** Its tool promises that no link leads a path out of its folder: where a rule becomes milder, folders need that. */
        real_paths: z.boolean(),
        /** Whether the rule applies to each of its examples; without them when its tool is not running. */
        examples: z.strictObject({ match: z.array(TriedExample), no_match: z.array(TriedExample) }).nullable(),
        /** Null when the tool is not running, or the caller may not read the audit log. */
        past: z
          .strictObject({
            /** Number of calls that were tried, and of those: the rule would apply. */
            calls: z.int(),
            applies: z.int(),
            /** Calls that cannot be tried: their arguments are not kept as they were. */
            unknown: z.int(),
            /** There were more calls; only the newest were tried. */
            partial: z.boolean(),
            /** At most five each, the newest first, with different arguments. */
            match: z.array(TriedCall),
            no_match: z.array(TriedCall),
          })
          .nullable(),
      }),
    ),
    errors: ['not_found'],
  }),
}
