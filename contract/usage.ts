import { z } from 'zod'
import { json, route } from './route.ts'
import { Id, Ok } from './values.ts'

/** Highest possible limit; anything above it is meaningless. */
const Limit = z.int().min(0).max(1_000_000_000_000).nullable()

/** Limits for a period; null: no limit. Days and months are in UTC. */
export const Allowance = z.strictObject({
  messages: Limit,
  /** Input and output together. */
  tokens: Limit,
  /** Millionths of the currency of the prices. */
  cost_micros: Limit,
  /** Calls that MCP clients begin; they use no engine, so this goes with the limits of all engines together. */
  calls: Limit.optional(),
})
export const Quota = z.strictObject({ day: Allowance, month: Allowance })
export type Quota = z.infer<typeof Quota>

export const UsageSums = z.strictObject({
  /** Messages to the AI engine; commands that are run directly don't count. */
  messages: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_micros: z.int(),
})
export type UsageSums = z.infer<typeof UsageSums>
/** `day`: a UTC date, `2026-11-21`. Days without use are left out. */
export const UsageDay = UsageSums.extend({ day: z.iso.date() })
export type UsageDay = z.infer<typeof UsageDay>

const Meter = z.strictObject({ used: z.int(), limit: z.int().nullable() })
export const Meters = z.strictObject({
  messages: Meter,
  tokens: Meter,
  cost_micros: Meter,
  /** When the period starts again. */
  resets_at: z.iso.datetime(),
})
export type Meters = z.infer<typeof Meters>

const Days = z.object({ days: z.coerce.number().int().min(1).max(400).default(30) })

export const usage = {
  myUsage: route({
    method: 'GET',
    path: '/api/usage/me',
    summary: 'What I have used of the AI engine today and this month, and what is left',
    access: 'session',
    tokenNeeds: 'account.read',
    query: Days,
    response: json(z.strictObject({ day: Meters, month: Meters, days: z.array(UsageDay) })),
    errors: [],
  }),
  allUsage: route({
    method: 'GET',
    path: '/api/admin/usage',
    summary: 'Use of AI engines per day, per user, per model and per engine',
    access: 'admin',
    query: Days,
    response: json(
      z.strictObject({
        from: z.iso.date(),
        days: z.array(UsageDay),
        /** The thousand users with the most tokens. */
        users: z.array(UsageSums.extend({ user_id: Id, username: z.string(), role: z.string() })),
        models: z.array(UsageSums.extend({ model: z.string() })),
        /** `name`: null for an engine that is gone, and for use from before engines were told apart. */
        engines: z.array(UsageSums.extend({ engine_id: z.string(), name: z.string().nullable() })),
      }),
    ),
    errors: [],
  }),
  quotas: route({
    method: 'GET',
    path: '/api/admin/quotas',
    summary: 'What each role may use of the AI engine',
    access: 'admin',
    response: json(
      z.strictObject({
        items: z.array(
          z.strictObject({
            role_id: Id,
            role: z.string(),
            users: z.int(),
            /** For all engines together. */
            quota: Quota,
            /** What applies to one engine besides. */
            engines: z.array(z.strictObject({ engine_id: Id, quota: Quota })),
          }),
        ),
        engines: z.array(z.strictObject({ engine_id: Id, name: z.string() })),
        /** Cost can only be limited if the engine has a price. */
        priced: z.boolean(),
      }),
    ),
    errors: [],
  }),
  saveQuota: route({
    method: 'PUT',
    path: '/api/admin/roles/{role_id}/quota',
    summary: 'Limit what a role may use of all AI engines together, or of one; in force at once',
    access: 'admin',
    sessionOnly: true,
    params: z.object({ role_id: Id }),
    /** `engine_id`: for this engine only. */
    body: json(Quota.extend({ engine_id: Id.optional() })),
    response: json(z.strictObject({ ok: Ok, role_id: Id, quota: Quota })),
    errors: ['not_found'],
  }),
}
