import { useNavigate } from '@tanstack/react-router'
import { call } from '../api.ts'
import { useShortcut } from '../keys/use-shortcut.ts'
import { queryClient } from '../query-client.ts'

/** Alt with an arrow opens the conversation above or below the shown one, in the order of the list: pinned first, then newest. */
export function useNeighbourKeys(conversationId: string | null): void {
  const navigate = useNavigate()
  const go = async (step: 1 | -1): Promise<void> => {
    const ids = await conversationOrder()
    // From a new conversation, down leads to the first one.
    const at = conversationId === null ? -1 : ids.indexOf(conversationId)
    const next = ids[at + step]
    if (next !== undefined) await navigate({ to: '/chat', search: { c: next } })
  }
  // What could not be read is shown by the list itself.
  useShortcut('previous_conversation', () => void go(-1).catch(() => undefined))
  useShortcut('next_conversation', () => void go(1).catch(() => undefined))
}

async function conversationOrder(): Promise<readonly string[]> {
  const { items } = await queryClient.fetchQuery({
    // An event makes everything below `conversations` stale.
    queryKey: ['conversations', 'order'],
    queryFn: ({ signal }) => call('GET /api/chat/conversations', { query: { limit: 200 }, signal }),
    staleTime: 30_000,
  })
  const pinned = items.filter((item) => item.pinned)
  return [...pinned, ...items.filter((item) => !item.pinned)].map((item) => item.conversation_id)
}
