import { useRef, type ReactNode } from 'react'
import { t } from '../text/i18n.ts'

interface FilePickerProps {
  onFiles(files: readonly File[]): void
  children(open: () => void): ReactNode
}

/** Passes its children a function that opens the system's file dialog. */
export function FilePicker({ onFiles, children }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      {children(() => input.current?.click())}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('files.upload')}
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])]
          event.target.value = ''
          if (chosen.length > 0) onFiles(chosen)
        }}
      />
    </>
  )
}
