import { useSyncExternalStore } from 'react'

/** Below Tailwind's `md`: a narrow screen shows one role at a time. */
const narrow = matchMedia('(max-width: 767.98px)')

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}
