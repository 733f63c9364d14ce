import { useCallback, useEffect, useRef } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import type { Conversation } from './use-conversation.ts'

/** Messages per request when paging back to a search hit. */
const STRIDE = 200

/**
 * Loads a message that may be far back, or on a branch that is not shown, into the conversation: pages backwards and,
 * if the beginning is reached without finding it, shows its branch and looks once more. When it does not exist, a toast
 * says so and `onMissing` is called.
 */
export function useMessageTarget(conversation: Conversation, messageId: string | null, onMissing: () => void): void {
  const { state, loadOlder, reload } = conversation
  const { conversationId, phase, messages, nextBefore } = state
  const branchTried = useRef<string | null>(null)
  const there = messageId !== null && messages.some((message) => message.message_id === messageId)

  const missing = useCallback(() => {
    toast({ text: t('chat.hit_missing'), tone: 'warn' })
    onMissing()
  }, [onMissing])

  useEffect(() => {
    if (messageId === null || conversationId === null || phase !== 'ready' || there) return
    if (nextBefore !== null) {
      loadOlder(STRIDE).catch(missing)
    } else if (branchTried.current !== messageId) {
      branchTried.current = messageId
      call('POST /api/chat/conversations/{conversation_id}/branch', {
        params: { conversation_id: conversationId },
        body: { message_id: messageId },
      }).then(reload, missing)
    } else {
      missing()
    }
  }, [messageId, conversationId, phase, there, nextBefore, messages, loadOlder, reload, missing])
  useEffect(() => {
    if (there || messageId === null) branchTried.current = null
  }, [there, messageId])
}
