import { useEffect } from 'react'
import { t } from '../i18n.ts'
import { toast } from '../parts/toast.tsx'
import type { ConversationState } from './conversation-state.ts'
import { type MessageRequest, takeMessageRequest, useMessageRequest } from './message-request.ts'

/** Hands over a text that waits for the message box, once its conversation is shown and no other message is on its way. */
export function useRequestedMessage(
  { conversationId, phase }: ConversationState,
  sending: boolean,
  take: (request: MessageRequest) => void,
): void {
  const request = useMessageRequest()
  const here = request !== null && (request.target === 'shown' || conversationId === null)
  useEffect(() => {
    if (!here || sending || phase === 'loading') return
    const taken = takeMessageRequest()
    if (taken === null) return
    // It must not turn up later in a conversation that nobody meant.
    if (phase === 'deleted') toast({ text: t('chat.gone_title'), tone: 'warn' })
    else take(taken)
  }, [here, sending, phase, take])
}
