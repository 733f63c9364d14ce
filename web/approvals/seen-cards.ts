import { type RefObject, useEffect, useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let seen: ReadonlySet<string> = new Set()

/** The cards that were in view from their head to their end since the page was loaded, by approval_id. */
export function useSeenCards(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => seen,
  )
}

/** Notes a card as seen once both its first and its last element in `card` marked with `data-edge` have been in view. */
export function useSeeing(approvalId: string, card: RefObject<HTMLElement | null>, pending: boolean): void {
  useEffect(() => {
    if (!pending || card.current === null) return undefined
    const edges = new Set<Element>(card.current.querySelectorAll('[data-edge]'))
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) edges.delete(entry.target)
      if (edges.size > 0) return
      observer.disconnect()
      seen = new Set([...seen, approvalId])
      for (const listener of listeners) listener()
    })
    for (const edge of edges) observer.observe(edge)
    return () => observer.disconnect()
  }, [approvalId, card, pending])
}
