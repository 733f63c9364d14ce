import { useEffect } from 'react'
import { t } from '../../text/i18n.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import type { ConversationState } from '../thread/conversation-state.ts'
import { type MessageRequest, takeMessageRequest, useMessageRequest } from './message-request.ts'

/** Delivers a pending text to the message box once its conversation is shown and no other message is being sent. */
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
    // It must not show up later in a different conversation.
    if (phase === 'deleted') toast({ text: t('chat.gone_title'), tone: 'warn' })
    else take(taken)
  }, [here, sending, phase, take])
}
