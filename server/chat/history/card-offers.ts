import type { z } from 'zod'
import type { GrantOffer } from '../../../contract/grants.ts'
import type { ApprovalDecision } from '../../../contract/messages.ts'
import type { ApprovalTable } from '../../db/rows/chat-tables.ts'
import type { Pattern } from '../ports/policy.ts'

/** An offer as the card keeps it: what is taken is what was offered, whatever has changed since. */
export interface StoredOffer extends Omit<GrantOffer, 'loosened'> {
  /** Null: the very same call. */
  readonly pattern: Pattern | null
}

export function storedOffers({ offers }: Pick<ApprovalTable, 'offers'>): StoredOffer[] {
  return JSON.parse(offers) as StoredOffer[]
}

export function shownOffers(card: Pick<ApprovalTable, 'offers'>): GrantOffer[] {
  return storedOffers(card).map(({ pattern, ...offer }) => ({ ...offer, loosened: pattern?.loosened ?? null }))
}

/** What the owner may decide about a card: what others must agree to can only be withdrawn. */
export function decisionsOf(
  card: Pick<ApprovalTable, 'kind' | 'offers' | 'voting'>,
): z.infer<typeof ApprovalDecision>[] {
  if (card.voting !== null) return ['deny']
  const whole = card.kind === 'run' || storedOffers(card).some((offer) => offer.for_conversation)
  return whole && card.kind !== 'question' ? ['approve', 'approve_for_conversation', 'deny'] : ['approve', 'deny']
}
