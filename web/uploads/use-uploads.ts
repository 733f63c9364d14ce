import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { FileEntry } from '../../contract/files.ts'
import { explainError } from '../client/explain-error.ts'
import { t } from '../text/i18n.ts'
import { toast } from '../parts/feedback/toast.tsx'
import { UploadQueue, type Upload } from './upload-queue.ts'

export interface Uploads {
  readonly uploads: readonly Upload[]
  add(files: readonly File[]): void
  /** Stops an upload, or removes a failed one. */
  remove(id: number): void
  retry(id: number): void
  /** Resolves when no upload is in progress: true when all have arrived, false as soon as one is refused. */
  arrived(): Promise<boolean>
}

/**
 * Uploads for the message box and the files page. A finished upload is passed to `onArrived` with the conversation
 * where it was added, even if the page was left in the meantime; failures are then reported in a toast.
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
    // Closing the window would cancel them: the browser asks first.
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [sending])
  return { uploads, add, remove: queue.remove, retry: queue.retry, arrived: queue.arrived }
}
