import { useEffect, useRef, useState } from 'react'
import { t } from '../i18n.ts'
import { toast } from '../parts/toast.tsx'

/** Files dropped anywhere on the page; true while some are held over it. A drop that misses must not open the file instead of the page. */
export function useFileDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [over, setOver] = useState(false)
  const handler = useRef(onFiles)
  useEffect(() => {
    handler.current = onFiles
  })
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
    const onOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const onLeave = (event: DragEvent): void => {
      // Leaving the window, not one element for the next.
      if (event.relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      const files = filesOf(event.dataTransfer)
      if (files.length < (event.dataTransfer?.files.length ?? 0)) toast({ text: t('files.no_folders'), tone: 'warn' })
      if (files.length > 0) handler.current(files)
    }
    window.addEventListener('dragover', onOver, { signal })
    window.addEventListener('dragleave', onLeave, { signal })
    window.addEventListener('drop', onDrop, { signal })
    return () => abort.abort()
  }, [])
  return over
}

/** Without folders, which look like files but cannot be read. */
function filesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.items ?? [])].flatMap((item) =>
    item.kind === 'file' && item.webkitGetAsEntry()?.isDirectory !== true ? (item.getAsFile() ?? []) : [],
  )
}
