import { useEffect, useRef } from 'react'
import { t } from '../i18n.ts'
import { announce } from '../parts/announcer.tsx'
import type { ConversationState } from './conversation-state.ts'

/** Has a screen reader say that an answer is there. (That an approval waits is said by the frame, on every page.) */
export function useAnnouncements(state: ConversationState): void {
  const before = useRef<{ conversationId: string | null; running: boolean }>({ conversationId: null, running: false })
  const running = state.activeRun !== null
  useEffect(() => {
    const same = before.current.conversationId === state.conversationId
    if (same && before.current.running && !running) announce(t('chat.answer_ready'))
    before.current = { conversationId: state.conversationId, running }
  }, [state.conversationId, running])
}
