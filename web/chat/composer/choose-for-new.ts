import { useSyncExternalStore } from 'react'
import { type Choices, forNew, keep } from './engine-choice.ts'

const listeners = new Set<() => void>()

export function chooseForNew(choices: Partial<Choices>): void {
  keep(choices)
  for (const listener of listeners) listener()
}

export function useChosenForNew(): Choices {
  return useSyncExternalStore(subscribe, () => forNew.choices)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
