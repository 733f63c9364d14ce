import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { FileEntry } from '../../contract/files.ts'
import { explainError } from '../explain-error.ts'
import { t } from '../i18n.ts'
import { toast } from '../parts/toast.tsx'
import { UploadQueue, type Upload } from './upload-queue.ts'

export interface Uploads {
  readonly uploads: readonly Upload[]
  add(files: readonly File[]): void
  /** Stops an upload, or removes a failed one. */
  remove(id: number): void
  retry(id: number): void
}

/**
 * Uploads for the message box and the page of files. A file that has arrived goes to `onArrived` with the conversation where it was
 * added, also when the page was left in the meantime; what fails then is said in a toast.
 */
export function useUploads(
  conversationId: string | null,
  onArrived: (conversationId: string | null, file: FileEntry) => void,
): Uploads {
  const [queue] = useState(
    () =>
      new UploadQueue((name, error) =>
        toast({ text: t('files.not_uploaded', { name, why: explainError(error) }), tone: 'danger' }),
      ),
  )
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads)
  const add = useCallback(
    (files: readonly File[]) => queue.add(files, (entry) => onArrived(conversationId, entry)),
    [queue, conversationId, onArrived],
  )
  const sending = uploads.some(({ error }) => error === null)
  useEffect(() => {
    if (!sending) return undefined
    // Closing the window would stop them: the browser asks first.
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [sending])
  return { uploads, add, remove: queue.remove, retry: queue.retry }
}
