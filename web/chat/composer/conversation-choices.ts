import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import type { Choices } from './engine-choice.ts'

/** What is chosen in a conversation, and how it is changed; `known` is null for one that does not exist yet. */
export function useConversationChoices(conversationId: string | null, running: boolean) {
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: ['conversation-engine', conversationId, running],
    queryFn: ({ signal }) =>
      call('GET /api/chat/conversations/{conversation_id}', {
        params: { conversation_id: conversationId! },
        query: { limit: 1 },
        signal,
      }),
    enabled: conversationId !== null,
    placeholderData: keepPreviousData,
  })
  const change = useMutation({
    mutationFn: (body: Partial<Choices>) =>
      call('PATCH /api/chat/conversations/{conversation_id}', { params: { conversation_id: conversationId! }, body }),
    onSettled: () => client.invalidateQueries({ queryKey: ['conversation-engine', conversationId] }),
    onError: (error) => toast({ text: explainError(error), tone: 'danger' }),
  })
  const known = conversationId !== null && data?.conversation_id === conversationId ? data : null
  return { known, changing: change.isPending ? change.variables : null, change: change.mutate }
}
