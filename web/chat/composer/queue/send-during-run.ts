import { call } from '../../../client/api.ts'
import { queryClient } from '../../../client/query-client.ts'
import { mayBeQueuedQuery } from '../../../client/queries.ts'
import type { Draft } from '../draft.ts'
import { queuedQuery } from './queued-query.ts'

/** Queues the message that is in the box. `key`: of this attempt, so that a repeated one does not queue it twice. */
export async function queueDraft(conversationId: string, { text, files }: Draft, key: string): Promise<void> {
  await call('POST /api/chat/conversations/{conversation_id}/queue', {
    params: { conversation_id: conversationId },
    headers: { 'idempotency-key': key },
    body: { message: text, ...(files.length > 0 && { attachment_ids: files.map((file) => file.file_id) }) },
  })
  queryClient.setQueryData(mayBeQueuedQuery(conversationId).queryKey, true)
  await queryClient.invalidateQueries({ queryKey: queuedQuery(conversationId).queryKey })
}

/** Stops what runs in the conversation; resolves once it rests. */
export async function stopRun(conversationId: string): Promise<void> {
  await call('POST /api/chat/cancel', { body: { conversation_id: conversationId } })
}
