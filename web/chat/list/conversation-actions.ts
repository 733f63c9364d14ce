import { queryClient } from '../../client/query-client.ts'
import { call, pathOf } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { toast } from '../../parts/feedback/toast.tsx'
import { readNewestSoon } from './conversation-list-cache.ts'

/**
 * Actions on a conversation or folder of the list. Each reports failure in a toast and resolves to whether it
 * succeeded.
 */
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
  /** Permanently deletes a conversation, which must be in the bin. */
  purge: (conversation_id: string) =>
    attempt(call('DELETE /api/chat/bin/{conversation_id}', { params: { conversation_id } })),
  async emptyBin(): Promise<void> {
    await attempt(call('POST /api/chat/bin/empty'))
  },
  /** Deletes and offers undo; `onRestored` is called after undo. */
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
  /** Creates a conversation from an exported file; resolves with its id, or null when the file was refused. */
  async importFile(file: File): Promise<string | null> {
    let imported: string | null = null
    await attempt(
      call('POST /api/chat/conversations/import', { body: file }).then(({ conversation_id, title }) => {
        imported = conversation_id
        toast({ text: t('chat.imported', { title }), tone: 'ok' })
      }),
    )
    return imported
  },
  /** Downloads the conversation as a file. */
  exportFile(conversation_id: string, format: 'markdown' | 'json'): void {
    const link = document.createElement('a')
    link.href = pathOf('/api/chat/conversations/{conversation_id}/export', { conversation_id }, { format })
    link.download = ''
    link.click()
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
    readNewestSoon()
    void queryClient.invalidateQueries({ queryKey: ['conversations'] })
  }
}
