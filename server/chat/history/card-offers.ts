import type { z } from 'zod'
import type { GrantOffer } from '../../../contract/grants.ts'
import type { ApprovalDecision } from '../../../contract/messages.ts'
import type { ApprovalTable } from '../../db/chat-tables.ts'
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

/** What may be decided about a card. */
export function decisionsOf(card: Pick<ApprovalTable, 'kind' | 'offers'>): z.infer<typeof ApprovalDecision>[] {
  const whole = card.kind === 'run' || storedOffers(card).some((offer) => offer.for_conversation)
  return whole && card.kind !== 'question' ? ['approve', 'approve_for_conversation', 'deny'] : ['approve', 'deny']
}
