import { z } from 'zod'
import { Id, Timestamp } from './values.ts'

/** What a decision may allow beyond its one call, and for how long. */
export const GRANT_LIMITS = {
  /** Of tools that may delete, or of which that is unknown. */
  dangerous: { uses: 20, minutes: 60 },
  others: { uses: 100, minutes: 480 },
  /** Offers on one card. */
  offers: 3,
} as const

/**
 * In what later calls may differ from the one on the card; everything else is the same. `folder`: anything in it. `host`:
 * any address there. `range`: any number. `any`: anything for these.
 */
export const Loosened = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('folder'), argument: z.string(), folder: z.string() }),
  z.strictObject({ kind: z.literal('host'), argument: z.string(), host: z.string() }),
  z.strictObject({ kind: z.literal('range'), argument: z.string(), min: z.number(), max: z.number() }),
  z.strictObject({ kind: z.literal('any'), arguments: z.array(z.string()) }),
])
export type Loosened = z.infer<typeof Loosened>

/** Something that a card offers beyond its one call. */
export const GrantOffer = z.strictObject({
  offer_id: z.string(),
  /** `exact`: this very call again. `pattern`: calls like it. */
  kind: z.enum(['exact', 'pattern']),
  loosened: Loosened.nullable(),
  max_uses: z.int(),
  max_minutes: z.int(),
  /** It is what `approve_for_conversation` allows, as often and as long as it may be. */
  for_conversation: z.literal(true).optional(),
  /** An earlier grant that no longer counts, because the conversation has read what others may have written since. */
  renews: z.literal(true).optional(),
})
export type GrantOffer = z.infer<typeof GrantOffer>

/** What is taken of an offer. */
export const GrantWanted = z.strictObject({
  offer_id: z.string().max(50),
  uses: z.int().min(1),
  minutes: z.int().min(1),
})
export type GrantWanted = z.infer<typeof GrantWanted>

/** Where a conversation got what others may have written. `name`: the tool, the
 * file, or the person who handed it over; empty where it isn't known. */
export const Untrusted = z.strictObject({
  kind: z.enum(['tool', 'file', 'import', 'handover', 'hook', 'watch', 'client']),
  name: z.string(),
  at: Timestamp,
})
export type Untrusted = z.infer<typeof Untrusted>

/** An approval that still counts for later calls. */
export const Grant = z.strictObject({
  grant_id: Id,
  kind: z.enum(['exact', 'pattern', 'permission']),
  conversation_id: Id,
  conversation_title: z.string(),
  approval_id: Id,
  /** Empty for a permission, whose name is `tool`. */
  module: z.string(),
  tool: z.string(),
  title: z.string(),
  /** Those of the call on the card, as they were shown there. */
  arguments: z.record(z.string(), z.unknown()),
  main_argument: z.string().optional(),
  /** Names of arguments that are what the tool takes by default, if any: one line leaves them out. */
  usual_arguments: z.array(z.string()).optional(),
  loosened: Loosened.nullable(),
  /** Null for a permission: it counts as long as the conversation lasts. */
  uses: z.int().nullable(),
  uses_left: z.int().nullable(),
  expires_at: Timestamp.nullable(),
  /** It doesn't count, because its conversation has read what others may have written since. */
  asleep: z.boolean(),
  created_at: Timestamp,
})
export type Grant = z.infer<typeof Grant>
