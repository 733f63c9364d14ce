import { useCallback, useEffect, useRef } from 'react'
import { call } from '../api.ts'
import { t } from '../i18n.ts'
import { toast } from '../parts/toast.tsx'
import type { Conversation } from './use-conversation.ts'

/** Messages per request on the way back to one that was searched for. */
const STRIDE = 200

/**
 * Brings a message that may be far back, or on a branch that is not shown, into the loaded conversation, step by step: pages
 * backwards; when the beginning is reached without it, shows its branch and looks once more. `onMissing` is called when it
 * is not there at all, and said by a toast.
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
