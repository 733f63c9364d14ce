import { type DragEvent, useSyncExternalStore } from 'react'
import type { ConversationEntry } from './conversation-pages.ts'

/** So that a dragged conversation is taken for one by nothing but a folder. */
const TYPE = 'application/x-reeve-conversation'

let dragged: ConversationEntry | null = null
const listeners = new Set<() => void>()

/** The conversation that is being dragged now, or null. */
export function useDraggedConversation(): ConversationEntry | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => dragged,
  )
}

/** Handlers of what can be dragged onto a folder. */
export function dragHandlers(conversation: ConversationEntry) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent): void => {
      event.dataTransfer.setData(TYPE, conversation.conversation_id)
      event.dataTransfer.effectAllowed = 'move'
      // A change of the page within this event would end the drag before it began.
      setTimeout(() => setDragged(conversation))
    },
    onDragEnd: (): void => setDragged(null),
  }
}

function setDragged(conversation: ConversationEntry | null): void {
  dragged = conversation
  for (const listener of listeners) listener()
}
