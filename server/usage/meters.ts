import type { Meters, Quota, UsageSums } from '../../contract/usage.ts'
import type { Reader } from '../db/database.ts'
import { iso, dayOf } from '../kernel/time.ts'
import { readQuota } from './quotas.ts'
import { usedSince } from './usage-days.ts'

/**
 * What a user has used today and this month, next to a quota; of one engine, or of all ('') together. Days and months
 * are in UTC.
 */
export async function readMeters(
  reader: Reader,
  { user_id, quota, engine_id }: { readonly user_id: string; readonly quota: Quota; readonly engine_id: string },
  now: number,
): Promise<{ day: Meters; month: Meters }> {
  const today = await usedSince(reader, user_id, dayOf(now), engine_id)
  const month = await usedSince(reader, user_id, `${dayOf(now).slice(0, 7)}-01`, engine_id)
  return {
    day: meters(today, quota.day, nextDay(now)),
    month: meters(month, quota.month, nextMonth(now)),
  }
}

/** The same next to what the role of the user may use of all engines. */
export async function metersOf(
  reader: Reader,
  { user_id, role_id }: { readonly user_id: string; readonly role_id: string },
  now: number,
): Promise<{ day: Meters; month: Meters }> {
  return readMeters(reader, { user_id, quota: await readQuota(reader, role_id), engine_id: '' }, now)
}

/** Epoch milliseconds at which the current UTC day ends. */
export function nextDay(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1)
}

export function nextMonth(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

function meters(used: UsageSums, limits: Quota['day'], resets: number): Meters {
  return {
    messages: { used: used.messages, limit: limits.messages },
    tokens: { used: used.input_tokens + used.output_tokens, limit: limits.tokens },
    cost_micros: { used: used.cost_micros, limit: limits.cost_micros },
    resets_at: iso(resets),
  }
}
