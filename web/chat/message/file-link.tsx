import { FileOrigin } from '../../parts/layout/file-origin.tsx'
import { Download, FileText } from 'lucide-react'
import type { FileRef } from '../../../contract/files.ts'
import { pathOf } from '../../client/api.ts'
import { formatBytes } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'

/** A stored file of a message: its name and size; a click downloads it. */
export function FileLink({ file }: { readonly file: FileRef }) {
  return (
    <a
      href={pathOf('/api/files/{file_id}/download', { file_id: file.file_id })}
      download={file.name}
      className="group inline-flex max-w-full items-center gap-2 rounded-lg border border-line bg-surface py-1.5 ps-2.5 pe-3 text-sm hover:bg-hover"
    >
      <FileText aria-hidden className="size-4 shrink-0 text-muted group-hover:hidden" />
      <Download aria-hidden className="hidden size-4 shrink-0 text-accent group-hover:block" />
      <span className="sr-only">{t('chat.file_download')}</span>
      <span className="min-w-0 truncate font-medium">{file.name}</span>
      {file.origin && <FileOrigin origin={file.origin} className="min-w-0 truncate text-muted" />}
      <span className="shrink-0 text-muted tabular-nums">{formatBytes(file.size)}</span>
    </a>
  )
}
