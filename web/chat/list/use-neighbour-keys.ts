import { useNavigate } from '@tanstack/react-router'
import { call } from '../../client/api.ts'
import { useShortcut } from '../../shell/keys/use-shortcut.ts'
import { queryClient } from '../../client/query-client.ts'

/**
 * Alt with an arrow key opens the conversation above or below the shown one, in list order: pinned first, then newest.
 */
export function useNeighbourKeys(conversationId: string | null): void {
  const navigate = useNavigate()
  const go = async (step: 1 | -1): Promise<void> => {
    const ids = await conversationOrder()
    // From a new conversation, down opens the first one.
    const at = conversationId === null ? -1 : ids.indexOf(conversationId)
    const next = ids[at + step]
    if (next !== undefined) await navigate({ to: '/chat', search: { c: next } })
  }
  // The list itself reports the error.
  useShortcut('previous_conversation', () => void go(-1).catch(() => undefined))
  useShortcut('next_conversation', () => void go(1).catch(() => undefined))
}

async function conversationOrder(): Promise<readonly string[]> {
  const { items } = await queryClient.fetchQuery({
    // Events make everything under `conversations` stale.
    queryKey: ['conversations', 'order'],
    queryFn: ({ signal }) => call('GET /api/chat/conversations', { query: { limit: 200 }, signal }),
    staleTime: 30_000,
  })
  const pinned = items.filter((item) => item.pinned)
  return [...pinned, ...items.filter((item) => !item.pinned)].map((item) => item.conversation_id)
}
