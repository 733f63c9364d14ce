import { useSyncExternalStore } from 'react'

const KEY = 'reeve.rail'
const listeners = new Set<() => void>()
let folded = read()

/** Whether the rail is folded to icons; stored in this browser. */
export function useRailFolded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => folded,
  )
}

export function toggleRail(): void {
  folded = !folded
  try {
    localStorage.setItem(KEY, folded ? 'folded' : 'open')
  } catch {
    // Storage is blocked: the choice applies until the page is reloaded.
  }
  for (const listener of listeners) listener()
}

function read(): boolean {
  try {
    return localStorage.getItem(KEY) === 'folded'
  } catch {
    return false
  }
}
