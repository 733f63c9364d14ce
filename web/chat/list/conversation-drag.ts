import { type DragEvent, useSyncExternalStore } from 'react'
import type { ConversationEntry } from './conversation-pages.ts'

/** A type of our own, so that only folders accept a dragged conversation. */
const TYPE = 'application/x-reeve-conversation'

let dragged: ConversationEntry | null = null
const listeners = new Set<() => void>()

/** The conversation being dragged, or null. */
export function useDraggedConversation(): ConversationEntry | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => dragged,
  )
}

/** Drag handlers for an item that can be dropped on a folder. */
export function dragHandlers(conversation: ConversationEntry) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent): void => {
      event.dataTransfer.setData(TYPE, conversation.conversation_id)
      event.dataTransfer.effectAllowed = 'move'
      // Changing the page within this event would end the drag before it starts.
      setTimeout(() => setDragged(conversation))
    },
    onDragEnd: (): void => setDragged(null),
  }
}

function setDragged(conversation: ConversationEntry | null): void {
  dragged = conversation
  for (const listener of listeners) listener()
}
