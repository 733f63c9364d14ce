import type { Meters } from '../../contract/usage.ts'
import type { Usage, UsedBy } from '../chat/ports/usage.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { readMeters } from './meters.ts'
import { isUnlimited, quotasFor } from './quotas.ts'
import { dayOf } from '../kernel/time.ts'
import { addUsage } from './usage-days.ts'

type Kind = 'messages' | 'tokens' | 'cost_micros'

const NOTHING = { messages: 0, input_tokens: 0, output_tokens: 0, cost_micros: 0 }

/**
 * Counts everyone's use of the AI engine, and refuses once the quota of their role is used up. A message is counted
 * before it is judged, so that two at the same time cannot both be the last one allowed.
 */
export function createUsage(clock: () => number = Date.now): Usage {
  return {
    async message(trx, by, { engine_id, model }) {
      const now = clock()
      await addUsage(trx, { day: dayOf(now), user_id: by.user_id, engine_id, model }, { ...NOTHING, messages: 1 })
      // The message itself is already counted: it may reach the limit but not exceed it.
      const over = await overQuota(trx, by, engine_id, now, (kind, used, limit) =>
        kind === 'messages' ? used > limit : used >= limit,
      )
      if (over !== null) throw over
    },
    async tokens(trx, user_id, { engine_id, model }, used) {
      await addUsage(trx, { day: dayOf(clock()), user_id, engine_id, model }, { messages: 0, ...used })
    },
    usedUp: (reader, by, engine_id) =>
      overQuota(reader, by, engine_id, clock(), (kind, used, limit) => kind !== 'messages' && used >= limit),
  }
}

/** What applies to all engines together is asked first, then what applies to this one. */
async function overQuota(
  reader: Reader,
  by: UsedBy,
  engine_id: string,
  now: number,
  isOver: (kind: Kind, used: number, limit: number) => boolean,
): Promise<AppError | null> {
  const quotas = await quotasFor(reader, by.role_id, engine_id)
  for (const { quota, engine_id: of } of quotas) {
    if (isUnlimited(quota)) continue
    const { day, month } = await readMeters(reader, { user_id: by.user_id, quota, engine_id: of }, now)
    // The month comes first: it is the longer wait, and the end of the day would not help.
    for (const [span, meters] of [
      ['month', month],
      ['day', day],
    ] as const) {
      for (const kind of ['messages', 'tokens', 'cost_micros'] as const) {
        const { used, limit } = meters[kind]
        if (limit === null || !isOver(kind, used, limit)) continue
        const retryAfter = Math.max(1, Math.ceil((Date.parse(meters.resets_at) - now) / 1000))
        const detail = sentence(span, kind, meters)
        return new AppError('quota_used_up', of === '' ? detail : say`${detail} Another engine may have some left.`, {
          retryAfter,
        })
      }
    }
  }
  return null
}

function sentence(span: 'day' | 'month', kind: Kind, { resets_at }: Meters): Sentence {
  const when = `${resets_at.slice(0, 10)} 00:00 UTC`
  if (span === 'day') {
    if (kind === 'messages')
      return say`Your messages to the AI engine for today are used up. They are renewed at ${when}. Commands that begin with / still work.`
    if (kind === 'tokens')
      return say`Your tokens for today are used up. They are renewed at ${when}. Commands that begin with / still work.`
    return say`Your budget for today is used up. It is renewed at ${when}. Commands that begin with / still work.`
  }
  if (kind === 'messages')
    return say`Your messages to the AI engine for this month are used up. They are renewed at ${when}. Commands that begin with / still work.`
  if (kind === 'tokens')
    return say`Your tokens for this month are used up. They are renewed at ${when}. Commands that begin with / still work.`
  return say`Your budget for this month is used up. It is renewed at ${when}. Commands that begin with / still work.`
}
