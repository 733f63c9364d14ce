import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client/api.ts'

/** The queued messages of a conversation; whatever changes a conversation makes them stale. */
export function queuedQuery(conversationId: string) {
  return queryOptions({
    queryKey: ['conversations', 'queued', conversationId],
    queryFn: ({ signal }) =>
      call('GET /api/chat/conversations/{conversation_id}/queue', {
        params: { conversation_id: conversationId },
        signal,
      }),
  })
}
