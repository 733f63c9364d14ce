import type { FileEntry } from '../../contract/files.ts'
import { call } from '../client/api.ts'
import { explainError } from '../client/explain-error.ts'
import { t } from '../text/i18n.ts'
import { announce } from '../parts/feedback/announcer.tsx'
import { toast } from '../parts/feedback/toast.tsx'
import { queryClient } from '../client/query-client.ts'

/** Deletes a file and offers undo. */
export async function deleteFile({ file_id, name }: Pick<FileEntry, 'file_id' | 'name'>): Promise<boolean> {
  try {
    await call('DELETE /api/files/{file_id}', { params: { file_id } })
  } catch (error) {
    toast({ text: t('files.not_deleted', { name, why: explainError(error) }), tone: 'danger' })
    return false
  }
  void queryClient.invalidateQueries({ queryKey: ['files', 'list'] })
  announce(t('files.deleted', { name }))
  toast({
    text: t('files.deleted', { name }),
    action: { label: t('action.undo'), onAction: () => void restoreFile({ file_id, name }) },
  })
  return true
}

/** Restores a deleted file. */
export async function restoreFile({ file_id, name }: Pick<FileEntry, 'file_id' | 'name'>): Promise<void> {
  try {
    await call('POST /api/files/{file_id}/restore', { params: { file_id } })
    announce(t('files.restored', { name }))
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
  }
  void queryClient.invalidateQueries({ queryKey: ['files', 'list'] })
}
