import { useSyncExternalStore } from 'react'
import type { Output } from '../../client/api-types.ts'

export type EngineChoice = NonNullable<Output<'GET /api/chat/conversations/{conversation_id}'>['engine']>

const KEY = 'reeve.engine'

/** What was chosen for conversations that do not exist yet, in this tab; null: the default. */
let chosen = stored()
const listeners = new Set<() => void>()

export function choiceForNew(): EngineChoice | null {
  return chosen
}

export function chooseForNew(choice: EngineChoice | null): void {
  chosen = choice
  try {
    sessionStorage.setItem(KEY, JSON.stringify(choice))
  } catch {
    // Storage is blocked: the choice applies until the page is reloaded.
  }
  for (const listener of listeners) listener()
}

export function useChoiceForNew(): EngineChoice | null {
  return useSyncExternalStore(subscribe, choiceForNew)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function stored(): EngineChoice | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as EngineChoice | null
  } catch {
    return null
  }
}
