import { useRef, type ReactNode } from 'react'
import { t } from '../../text/i18n.ts'

/** Passes its children a function that opens the system's file dialog for a bundle. */
export function ModuleFilePicker({
  onFile,
  children,
}: {
  onFile(file: File): void
  children(open: () => void): ReactNode
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      {children(() => input.current?.click())}
      <input
        ref={input}
        type="file"
        accept=".mcpb,.dxt,.zip"
        hidden
        aria-label={t('modules.install')}
        onChange={(event) => {
          const chosen = event.target.files?.[0]
          event.target.value = ''
          if (chosen) onFile(chosen)
        }}
      />
    </>
  )
}
