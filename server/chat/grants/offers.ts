import { GRANT_LIMITS, type GrantWanted } from '../../../contract/grants.ts'
import type { ApprovalDecision } from '../../../contract/messages.ts'
import type { z } from 'zod'
import type { ApprovalTable } from '../../db/rows/chat-tables.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { decisionsOf, type StoredOffer, storedOffers } from '../history/card-offers.ts'
import type { Pattern, Policy } from '../ports/policy.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { Tool } from '../ports/tools.ts'

type Decision = z.infer<typeof ApprovalDecision>

/** It may delete something, or nobody knows. */
export function isDangerous({ effect }: Pick<Tool, 'effect'>): boolean {
  return effect === 'destructive' || effect === 'unknown'
}

/**
 * What the card of a call offers beyond the call, at most three: the same call again, calls like it, or those of an
 * earlier grant that sleeps. Nothing where each call is to be decided, or could delete something on another machine. Conditions would hold secrets in clear, so a call
 * with any in it has no pattern.
 */
export function offersFor(
  { policy, secrets }: { readonly policy: Pick<Policy, 'like'>; readonly secrets: Secrets },
  tool: Tool,
  input: Record<string, unknown>,
  about: {
    readonly every_time: boolean
    readonly remote: boolean
    readonly untrusted: boolean
    readonly sleeping: Pattern | null
  },
): StoredOffer[] {
  const dangerous = isDangerous(tool)
  if (about.every_time || (dangerous && about.remote)) return []
  const { uses, minutes } = dangerous ? GRANT_LIMITS.dangerous : GRANT_LIMITS.others
  const most = { max_uses: uses, max_minutes: minutes }
  const offers: StoredOffer[] = [{ offer_id: 'same', kind: 'exact', pattern: null, ...most }]
  const hidden = secrets.mask(tool.module, input) !== input
  if (!hidden && !(dangerous && about.untrusted)) {
    if (about.sleeping !== null)
      offers.push({ offer_id: 'renew', kind: 'pattern', pattern: about.sleeping, ...most, renews: true })
    else
      for (const [i, pattern] of policy.like(tool, input).entries())
        offers.push({ offer_id: `like-${i + 1}`, kind: 'pattern', pattern, ...most })
  }
  const kept = offers.slice(0, GRANT_LIMITS.offers)
  return dangerous ? kept : kept.map((one, i) => (i < kept.length - 1 ? one : { ...one, for_conversation: true }))
}

/** What of its offers a decision takes. */
export interface Taken {
  readonly offer: StoredOffer
  readonly uses: number
  readonly minutes: number
}

/** Null: nothing beyond this call, or a permission. @throws {AppError} grant_not_offered */
export function takenOffer(
  card: Pick<ApprovalTable, 'kind' | 'offers' | 'voting'>,
  decision: Decision,
  wanted: GrantWanted | undefined,
): Taken | null {
  if (!decisionsOf(card).includes(decision))
    throw notOffered(say`This call cannot be approved for the whole conversation.`, 'decision')
  const offers = storedOffers(card)
  if (decision === 'approve_for_conversation' && card.kind === 'call') {
    const offer = offers.find((one) => one.for_conversation)!
    return { offer, uses: offer.max_uses, minutes: offer.max_minutes }
  }
  if (wanted === undefined) return null
  const offer = offers.find(({ offer_id }) => offer_id === wanted.offer_id)
  if (decision !== 'approve' || offer === undefined)
    throw notOffered(say`The card does not offer this.`, 'grant.offer_id')
  const { max_uses: uses, max_minutes: minutes } = offer
  if (wanted.uses > uses) throw notOffered(say`At most ${uses} times are offered.`, 'grant.uses')
  if (wanted.minutes > minutes) throw notOffered(say`At most ${minutes} minutes are offered.`, 'grant.minutes')
  return { offer, uses: wanted.uses, minutes: wanted.minutes }
}

function notOffered(detail: Sentence, path: string): AppError {
  return new AppError('grant_not_offered', detail, { errors: [{ path, message: detail }] })
}
