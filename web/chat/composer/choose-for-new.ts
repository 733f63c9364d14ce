import { useSyncExternalStore } from 'react'
import { ENGINE_KEY, type EngineChoice, forNew } from './engine-choice.ts'

const listeners = new Set<() => void>()

export function chooseForNew(choice: EngineChoice | null): void {
  forNew.choice = choice
  try {
    sessionStorage.setItem(ENGINE_KEY, JSON.stringify(choice))
  } catch {
    // Storage is blocked: the choice applies until the page is reloaded.
  }
  for (const listener of listeners) listener()
}

export function useChoiceForNew(): EngineChoice | null {
  return useSyncExternalStore(subscribe, () => forNew.choice)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
