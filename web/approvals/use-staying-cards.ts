import { useEffect, useState } from 'react'
import type { Approval } from '../queries.ts'

/**
 * The pending cards, oldest first, and those of them that were closed while the page is open: a card that has just been
 * decided stays where it is as a record, and a new one comes below, so that nothing moves under the pointer.
 * `all` tells what became of a card that is no longer pending. Null until the pending ones are known.
 */
export function useStayingCards(
  pending: readonly Approval[] | undefined,
  all: readonly Approval[] | undefined,
): readonly Approval[] | null {
  const [order, setOrder] = useState<readonly Approval[] | null>(null)
  useEffect(() => {
    if (pending === undefined) return
    setOrder((before) => {
      const known = new Set(before?.map((card) => card.approval_id))
      return [...(before ?? []), ...pending.filter((card) => !known.has(card.approval_id)).reverse()]
    })
  }, [pending])
  if (order === null) return null
  const now = new Map([...(all ?? []), ...(pending ?? [])].map((card) => [card.approval_id, card]))
  return order.map((card) => now.get(card.approval_id) ?? card)
}
