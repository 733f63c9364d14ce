import { useRef, type ReactNode } from 'react'
import { HiddenFileInput } from '../../parts/controls/hidden-file-input.tsx'
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
      <HiddenFileInput ref={input} accept=".mcpb,.dxt,.zip" label={t('modules.install')} onFile={onFile} />
    </>
  )
}
