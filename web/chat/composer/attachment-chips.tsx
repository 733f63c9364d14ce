import { FileText, RotateCw, X } from 'lucide-react'
import type { FileEntry } from '../../../contract/files.ts'
import { explainError, isWorthRetrying } from '../../client/explain-error.ts'
import { formatBytes } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { FileOrigin } from '../../parts/layout/file-origin.tsx'
import { Progress } from '../../parts/feedback/progress.tsx'
import type { Upload } from '../../uploads/upload-queue.ts'
import type { Uploads } from '../../uploads/use-uploads.ts'

interface AttachmentChipsProps {
  readonly files: readonly FileEntry[]
  readonly uploads: Uploads
  onRemove(fileId: string): void
}

/** The files of the message being written: uploaded, uploading or refused. */
export function AttachmentChips({ files, uploads, onRemove }: AttachmentChipsProps) {
  if (files.length === 0 && uploads.uploads.length === 0) return null
  return (
    <ul aria-label={t('chat.attachments')} className="flex flex-wrap gap-2 px-3 pt-3">
      {files.map((file) => (
        <li
          key={file.file_id}
          className="flex max-w-full items-center gap-2 rounded-md border border-line bg-sunken ps-2.5 text-sm"
        >
          <FileText aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="min-w-0 truncate">{file.name}</span>
          {file.origin && <FileOrigin origin={file.origin} className="min-w-0 shrink truncate text-muted" />}
          <span className="shrink-0 text-muted tabular-nums">{formatBytes(file.size)}</span>
          <IconButton
            label={t('chat.attachment_remove', { name: file.name })}
            icon={X}
            size="sm"
            onClick={() => onRemove(file.file_id)}
          />
        </li>
      ))}
      {uploads.uploads.map((upload) => (
        <UploadChip key={upload.id} upload={upload} uploads={uploads} />
      ))}
    </ul>
  )
}

function UploadChip({ upload, uploads }: { readonly upload: Upload; readonly uploads: Uploads }) {
  const failed = upload.error !== null
  return (
    <li
      className={`flex max-w-full items-center gap-2 rounded-md border ps-2.5 text-sm ${failed ? 'border-danger/30 bg-danger-soft' : 'border-line bg-sunken'}`}
    >
      <div className="min-w-32 py-1">
        <p className="truncate">{upload.name}</p>
        {failed ? (
          <p role="alert" className="max-w-72 text-xs break-words text-danger">
            {explainError(upload.error)}
          </p>
        ) : (
          <Progress label={t('chat.uploading', { name: upload.name })} value={upload.share ?? 0} />
        )}
      </div>
      {failed && isWorthRetrying(upload.error) && (
        <IconButton label={t('action.retry')} icon={RotateCw} size="sm" onClick={() => uploads.retry(upload.id)} />
      )}
      <IconButton
        label={t(failed ? 'chat.attachment_remove' : 'chat.upload_cancel', { name: upload.name })}
        icon={X}
        size="sm"
        onClick={() => uploads.remove(upload.id)}
      />
    </li>
  )
}
