import { useSyncExternalStore } from 'react'

const KEY = 'reeve.single_keys'
const listeners = new Set<() => void>()
let on = read()

/** Whether single-key shortcuts are enabled; stored in this browser. */
export function singleKeysOn(): boolean {
  return on
}

export function setSingleKeys(next: boolean): void {
  on = next
  try {
    if (next) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, 'off')
  } catch {
    // Storage is blocked: the choice applies until the page is reloaded.
  }
  for (const listener of listeners) listener()
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(subscribe, singleKeysOn)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', readAgain)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener('storage', readAgain)
  }
}

function readAgain(event: StorageEvent): void {
  if (event.key !== KEY) return
  on = read()
  for (const listener of listeners) listener()
}

function read(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    return true
  }
}
