import { queryClient } from '../query-client.ts'
import { call } from '../api.ts'
import { explainError } from '../explain-error.ts'
import { t } from '../i18n.ts'
import { toast } from '../parts/toast.tsx'

/** What can be done with a conversation or folder of the list. Each tells its failure by a toast and resolves with success. */
export const conversationActions = {
  pin: (conversation_id: string, pinned: boolean) =>
    attempt(call('PATCH /api/chat/conversations/{conversation_id}', { params: { conversation_id }, body: { pinned } })),
  file: (conversation_id: string, folder_id: string | null) =>
    attempt(
      call('PATCH /api/chat/conversations/{conversation_id}/folder', {
        params: { conversation_id },
        body: { folder_id },
      }),
    ),
  deleteFolder: (folder_id: string) => attempt(call('DELETE /api/chat/folders/{folder_id}', { params: { folder_id } })),
  restore: (conversation_id: string) =>
    attempt(call('POST /api/chat/conversations/{conversation_id}/restore', { params: { conversation_id } })),
  /** Deletes and offers to undo; `onRestored` is called when that was taken. */
  async remove(conversation_id: string, title: string, onRestored: () => void): Promise<boolean> {
    const done = await attempt(
      call('DELETE /api/chat/conversations/{conversation_id}', { params: { conversation_id } }),
    )
    if (!done) return false
    const undo = async (): Promise<void> => {
      if (await conversationActions.restore(conversation_id)) onRestored()
    }
    toast({ text: t('chat.deleted', { title }), action: { label: t('action.undo'), onAction: () => void undo() } })
    return true
  },
}

async function attempt(request: Promise<unknown>): Promise<boolean> {
  try {
    await request
    return true
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
    return false
  } finally {
    void queryClient.invalidateQueries({ queryKey: ['conversations'] })
  }
}
