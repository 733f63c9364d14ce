import { useEffect, useRef } from 'react'
import { t } from '../../text/i18n.ts'
import { announce } from '../../parts/feedback/announcer.tsx'

/** Has screen readers announce that an answer is ready. (The frame announces pending approvals, on every page.) */
export function useAnnouncements(conversationId: string | null, running: boolean): void {
  const before = useRef<{ conversationId: string | null; running: boolean }>({ conversationId: null, running: false })
  useEffect(() => {
    const same = before.current.conversationId === conversationId
    if (same && before.current.running && !running) announce(t('chat.answer_ready'))
    before.current = { conversationId, running }
  }, [conversationId, running])
}
