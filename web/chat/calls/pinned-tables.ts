import { useSyncExternalStore } from 'react'

const KEY = 'reeve.tables'
/** Older ones are folded again. */
const LIMIT = 200
const listeners = new Set<() => void>()
let pinned = read()

/** The calls whose tables stay open, by id; stored in this browser. */
export function usePinnedTables(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => pinned,
  )
}

export function pinTables(toolCallId: string, pin: boolean): void {
  const others = [...pinned].filter((id) => id !== toolCallId)
  pinned = new Set((pin ? [...others, toolCallId] : others).slice(-LIMIT))
  try {
    localStorage.setItem(KEY, JSON.stringify([...pinned]))
  } catch {
    // Storage is blocked: the choice applies until the page is reloaded.
  }
  for (const listener of listeners) listener()
}

function read(): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return new Set(Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : [])
  } catch {
    return new Set()
  }
}
