import { useEffect, useState } from 'react'
import type { Approval } from '../client/queries.ts'

/**
 * The pending cards, oldest first, including those closed while the page is open: a decided card stays in place as a
 * record and new ones are added below, so that nothing moves under the pointer. `all` has the final state of cards that
 * are no longer pending. Null until the pending ones are known.
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
