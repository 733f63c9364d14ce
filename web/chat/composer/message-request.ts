import { useSyncExternalStore } from 'react'

/** A text for the message box from elsewhere: a quick command or the command palette. */
export interface MessageRequest {
  readonly text: string
  /** `shown`: the conversation that is open, or about to be. */
  readonly target: 'shown' | 'new'
  /** Send it immediately, exactly like a typed message. */
  readonly send: boolean
  /**
   * Position in a box that already has text. `instead`: that text is set aside until this one is sent, as it is for a
   * message to send.
   */
  readonly place?: 'start' | 'end' | 'instead'
}

/** A request not taken within this time is dropped: it must not be sent unexpectedly later. */
const PATIENCE_MS = 10_000

let waiting: { readonly request: MessageRequest; readonly until: number } | null = null
const listeners = new Set<() => void>()

/** Passes a text to the message box; the page with the box must be open or opening. */
export function requestMessage(request: MessageRequest): void {
  change({ request, until: Date.now() + PATIENCE_MS })
}

/** Takes the request, so that it is handled only once. */
export function takeMessageRequest(): MessageRequest | null {
  const taken = waiting
  if (taken === null) return null
  change(null)
  return taken.until > Date.now() ? taken.request : null
}

/** The pending request. */
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
