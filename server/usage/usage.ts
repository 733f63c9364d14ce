import type { Meters } from '../../contract/usage.ts'
import type { Usage, UsedBy } from '../chat/ports/usage.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { readMeters } from './meters.ts'
import { isUnlimited, readQuota } from './quotas.ts'
import { addUsage, dayOf } from './usage-days.ts'

type Kind = 'messages' | 'tokens' | 'cost_micros'

const NOTHING = { messages: 0, input_tokens: 0, output_tokens: 0, cost_micros: 0 }

/**
 * Counts everyone's use of the AI engine, and refuses once the quota of their role is used up. A message is counted
 * before it is judged, so that two at the same time cannot both be the last one allowed.
 */
export function createUsage(clock: () => number = Date.now): Usage {
  return {
    async message(trx, by, model) {
      const now = clock()
      await addUsage(trx, { day: dayOf(now), user_id: by.user_id, model }, { ...NOTHING, messages: 1 })
      // The message itself is already counted: it may reach the limit but not exceed it.
      const over = await overQuota(trx, by, now, (kind, used, limit) =>
        kind === 'messages' ? used > limit : used >= limit,
      )
      if (over !== null) throw over
    },
    async tokens(trx, user_id, model, used) {
      await addUsage(trx, { day: dayOf(clock()), user_id, model }, { messages: 0, ...used })
    },
    usedUp: (reader, by) => overQuota(reader, by, clock(), (kind, used, limit) => kind !== 'messages' && used >= limit),
  }
}

async function overQuota(
  reader: Reader,
  by: UsedBy,
  now: number,
  isOver: (kind: Kind, used: number, limit: number) => boolean,
): Promise<AppError | null> {
  if (isUnlimited(await readQuota(reader, by.role_id))) return null
  const { day, month } = await readMeters(reader, by, now)
  // The month comes first: it is the longer wait, and the end of the day would not help.
  for (const [span, meters] of [
    ['month', month],
    ['day', day],
  ] as const) {
    for (const kind of ['messages', 'tokens', 'cost_micros'] as const) {
      const { used, limit } = meters[kind]
      if (limit === null || !isOver(kind, used, limit)) continue
      const retryAfter = Math.max(1, Math.ceil((Date.parse(meters.resets_at) - now) / 1000))
      return new AppError('quota_used_up', sentence(span, kind, meters), { retryAfter })
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
