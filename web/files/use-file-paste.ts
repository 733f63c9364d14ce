import { useEffect, useRef } from 'react'

/** Handles files pasted anywhere on the page. Pasted text is left alone. */
export function useFilePaste(onFiles: (files: readonly File[]) => void): void {
  const handler = useRef(onFiles)
  useEffect(() => {
    handler.current = onFiles
  })
  useEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])]
      if (files.length === 0) return
      event.preventDefault()
      handler.current(files)
    }
    window.addEventListener('paste', onPaste)
    return () => window.removeEventListener('paste', onPaste)
  }, [])
}
