import { lazy, Suspense, useState } from 'react'
import { ArrowLeft, Download, EyeOff, FileText, Sheet, Trash2, X } from 'lucide-react'
import type { FileEntry } from '../../contract/files.ts'
import { pathOf } from '../client/api.ts'
import { formatBytes, formatDateTime } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { Skeleton } from '../parts/feedback/skeleton.tsx'
import { AskButton } from '../chat/asking/ask-button.tsx'
import { hasText, shownAs } from './file-kind.ts'
import { TextStart } from './text-start.tsx'

const FileTable = lazy(async () => ({ default: (await import('../tables/file-table.tsx')).FileTable }))

interface FilePreviewProps {
  readonly file: FileEntry
  /** Null when the role does not allow it. */
  readonly onDelete: (() => void) | null
  onClose(): void
}

/** A preview of a file, as far as a browser can show it, with its actions. */
export function FilePreview({ file, onDelete, onClose }: FilePreviewProps) {
  const [asText, setAsText] = useState(false)
  return (
    <section aria-label={t('files.preview_of', { name: file.name })} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="border-line flex shrink-0 items-center gap-1 border-b py-2 ps-4 pe-2">
        <IconButton label={t('action.back')} icon={ArrowLeft} onClick={onClose} className="-ms-3 lg:hidden" />
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold">{file.name}</h2>
          <p className="text-muted truncate text-sm tabular-nums">
            {formatBytes(file.size)} · {formatDateTime(file.created_at)}
          </p>
        </div>
        <AskButton about={() => file} stored size="md" />
        {hasText(file) && (
          <IconButton
            label={t(asText ? 'files.as_table' : 'files.as_text')}
            icon={asText ? Sheet : FileText}
            onClick={() => setAsText(!asText)}
          />
        )}
        <a
          href={pathOf('/api/files/{file_id}/download', { file_id: file.file_id })}
          download={file.name}
          aria-label={t('files.download', { name: file.name })}
          title={t('files.download', { name: file.name })}
          className="text-muted hover:bg-hover hover:text-ink inline-flex size-9 shrink-0 items-center justify-center rounded-md"
        >
          <Download aria-hidden className="size-4" />
        </a>
        {onDelete !== null && (
          <IconButton label={t('files.delete', { name: file.name })} icon={Trash2} onClick={onDelete} />
        )}
        <IconButton label={t('files.close')} icon={X} onClick={onClose} className="max-lg:hidden" />
      </header>
      <Content key={file.file_id} file={file} asText={asText} />
    </section>
  )
}

function Content({ file, asText }: { readonly file: FileEntry; readonly asText: boolean }) {
  const [broken, setBroken] = useState(false)
  const kind = asText ? 'text' : shownAs(file)
  const address = pathOf('/api/files/{file_id}/preview', { file_id: file.file_id })
  if (kind === 'table')
    return (
      <Suspense fallback={<Skeleton className="m-3 h-48" />}>
        <FileTable file={file} fill />
      </Suspense>
    )
  if (kind === 'text') return <TextStart file={file} />
  // Phones have no PDF viewer and would show an empty frame.
  if (kind === 'pdf' && navigator.pdfViewerEnabled === false)
    return (
      <EmptyState
        icon={EyeOff}
        title={t('files.pdf_elsewhere')}
        actions={
          <a
            href={address}
            target="_blank"
            rel="noopener"
            className="border-line-strong/60 bg-surface hover:bg-hover inline-flex h-9 items-center rounded-md border px-3.5 font-medium shadow-sm"
          >
            {t('files.pdf_open')}
          </a>
        }
        level={3}
      />
    )
  if (kind === 'pdf') return <iframe src={address} title={file.name} className="min-h-0 w-full flex-1 border-0" />
  if (kind === 'image' && !broken)
    return (
      <div className="bg-sunken flex min-h-0 flex-1 items-center justify-center overflow-auto p-4">
        <img
          src={address}
          alt={file.name}
          onError={() => setBroken(true)}
          className="bg-surface max-h-full max-w-full rounded-md object-contain shadow-sm"
        />
      </div>
    )
  return (
    <EmptyState
      icon={EyeOff}
      title={t(broken ? 'files.picture_broken' : 'files.no_preview')}
      text={t('files.no_preview_text')}
      level={3}
    />
  )
}
