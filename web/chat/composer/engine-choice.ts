import { useSyncExternalStore } from 'react'
import type { Output } from '../../client/api-types.ts'

export type EngineChoice = NonNullable<Output<'GET /api/chat/conversations/{conversation_id}'>['engine']>

/** What was chosen for conversations that do not exist yet; null: the default. Forgotten when the page is reloaded. */
let chosen: EngineChoice | null = null
const listeners = new Set<() => void>()

export function choiceForNew(): EngineChoice | null {
  return chosen
}

export function chooseForNew(choice: EngineChoice | null): void {
  chosen = choice
  for (const listener of listeners) listener()
}

export function useChoiceForNew(): EngineChoice | null {
  return useSyncExternalStore(subscribe, choiceForNew)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
