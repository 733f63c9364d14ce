import { useEffect, useRef, useState } from 'react'
import { t } from '../text/i18n.ts'
import { toast } from '../parts/feedback/toast.tsx'

/**
 * Handles files dropped anywhere on the page; true while files are dragged over it. A missed drop must not navigate to
 * the file.
 */
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
      // Only leaving the window counts, not moving between elements.
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

/** Excludes folders, which look like files but cannot be read. */
function filesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.items ?? [])].flatMap((item) =>
    item.kind === 'file' && item.webkitGetAsEntry()?.isDirectory !== true ? (item.getAsFile() ?? []) : [],
  )
}
