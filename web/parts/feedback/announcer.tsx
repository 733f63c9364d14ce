import { useSyncExternalStore } from 'react'

interface Said {
  polite: string
  assertive: string
}
let said: Said = { polite: '', assertive: '' }
const listeners = new Set<() => void>()

/** Has screen readers announce a text. `assertive` interrupts: only for what cannot wait. */
export function announce(text: string, urgency: 'polite' | 'assertive' = 'polite'): void {
  // Screen readers skip an unchanged text: an invisible mark makes a repetition differ.
  said = { ...said, [urgency]: said[urgency] === text ? `${text}\u00a0` : text }
  for (const listener of listeners) listener()
}

/** The two live regions used by announce(); once in the app. */
export function Announcer() {
  const { polite, assertive } = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => said,
  )
  return (
    <>
      <div role="status" aria-live="polite" className="sr-only">
        {polite}
      </div>
      <div role="alert" aria-live="assertive" className="sr-only">
        {assertive}
      </div>
    </>
  )
}
