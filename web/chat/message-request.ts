import { useSyncExternalStore } from 'react'

/** A text for the message box that comes from elsewhere: a quick command, the command palette. */
export interface MessageRequest {
  readonly text: string
  /** `shown`: of the conversation that is open, or will be. */
  readonly target: 'shown' | 'new'
  /** Send it at once, by the same way as a typed message. */
  readonly send: boolean
  /** Where in a box that has a text already; a message to send stands alone. */
  readonly place?: 'start' | 'end'
}

/** A request that nobody could take for so long is forgotten: it must not be sent out of the blue later. */
const PATIENCE_MS = 10_000

let waiting: { readonly request: MessageRequest; readonly until: number } | null = null
const listeners = new Set<() => void>()

/** Hands a text to the message box; the page with the box must be shown, or be on its way. */
export function requestMessage(request: MessageRequest): void {
  change({ request, until: Date.now() + PATIENCE_MS })
}

/** Takes the request away, so that it is done once. */
export function takeMessageRequest(): MessageRequest | null {
  const taken = waiting
  if (taken === null) return null
  change(null)
  return taken.until > Date.now() ? taken.request : null
}

/** The request that waits to be taken. */
export function useMessageRequest(): MessageRequest | null {
  return useSyncExternalStore(subscribe, () => waiting)?.request ?? null
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(next: typeof waiting): void {
  waiting = next
  for (const listener of listeners) listener()
}
