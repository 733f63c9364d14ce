import { z } from 'zod'
import { RULE_LIMITS } from './rule-limits.ts'
import { Id } from './values.ts'

const Text = z.string().max(RULE_LIMITS.text)
const some = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(RULE_LIMITS.values)
/** RFC 6901, such as `/path` or `/options/0`. */
export const Pointer = z.string().min(2).max(RULE_LIMITS.pointer).startsWith('/')
const Plain = z.union([Text, z.number(), z.boolean(), z.null()])

const is = { is: Plain }
const oneOf = { in: some(Plain) }
const range = { min: z.number().optional(), max: z.number().optional() }
/** Folders: an absolute path in one of them, or one of them itself. */
const under = { under: some(Text) }
/** Hosts of http(s) addresses: `example.com`, `example.com:8443`, or `*.example.com` for those below it. */
const host = { host: some(Text) }

/** What a value may be; of a range, one end may be left out. */
export const ValueTest = z.union([
  z.strictObject(is),
  z.strictObject(oneOf),
  z.strictObject(under),
  z.strictObject(host),
  z.strictObject(range),
])
export type ValueTest = z.infer<typeof ValueTest>

/** One word of a command: this text, one of several, a path, a whole number, any word; at the end: any further words. */
export const Token = z.union([
  Text,
  z.strictObject({ in: some(Text) }),
  z.strictObject({ under: some(Text) }),
  z.strictObject({ min: z.int(), max: z.int() }),
  z.strictObject({ any: z.literal(true) }),
  z.strictObject({ operands: z.literal(true) }),
])
export type Token = z.infer<typeof Token>

/** About one argument, or about a whole command: its program and each of its words. */
export const Condition = z.union([
  z.strictObject({ at: Pointer, ...is }),
  z.strictObject({ at: Pointer, ...oneOf }),
  z.strictObject({ at: Pointer, ...under }),
  z.strictObject({ at: Pointer, ...host }),
  /** Each value of a list. */
  z.strictObject({ at: Pointer, each: ValueTest }),
  z.strictObject({ at: Pointer, absent: z.literal(true) }),
  z.strictObject({ at: Pointer, ...range }),
  z.strictObject({
    argv: z.strictObject({ program: Pointer, args: Pointer }),
    tokens: z.array(Token).min(1).max(RULE_LIMITS.tokens),
  }),
])
export type Condition = z.infer<typeof Condition>

const Group = z.array(Condition).min(1).max(RULE_LIMITS.conditions)
const Examples = z.array(z.record(z.string(), z.unknown())).max(RULE_LIMITS.examples)

/** How many people of a role must agree. */
export const Approvers = z.strictObject({ role_id: Id, count: z.int().min(1).max(3) })
export type Approvers = z.infer<typeof Approvers>

/** What a rule says besides its subject and effect. */
export const RuleSpec = z.strictObject({
  note: Text.min(1).optional(),
  /** All of them. */
  when: Group.optional(),
  /** Any of these groups; for rules that ask or deny. */
  unless: z.array(Group).min(1).max(RULE_LIMITS.conditions).optional(),
  /** Arguments that may be anything; for rules that allow. All others must be as a condition says, or as their default. */
  free: z.array(Pointer).min(1).max(RULE_LIMITS.free).optional(),
  examples: z.strictObject({ match: Examples, no_match: Examples }).optional(),
  /** For rules that ask: each call is decided by itself, and no earlier approval counts. */
  every_time: z.literal(true).optional(),
  /** For rules that allow: also in a conversation that holds what others may have written. */
  even_untrusted: z.literal(true).optional(),
  /** Who decides, for rules that ask: people of these roles, never the one who asks. Empty: the one who asks. */
  approvers: z.array(Approvers).max(RULE_LIMITS.approvers).optional(),
})
export type RuleSpec = z.infer<typeof RuleSpec>

/** Whether a rule looks at arguments. */
export function isConditional({ when, unless, free }: Pick<RuleSpec, 'when' | 'unless' | 'free'>): boolean {
  return when !== undefined || unless !== undefined || free !== undefined
}

/** How a condition came out, and why, for the arguments of a call. */
export const ConditionStep = z.strictObject({
  /** The pointer of an argument. */
  at: z.string(),
  operator: z.enum(['is', 'in', 'range', 'under', 'host', 'each', 'absent', 'argv', 'only_these']),
  outcome: z.enum(['true', 'false', 'unknown']),
  why: z.string(),
})
