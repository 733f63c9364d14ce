import { RotateCw, X } from 'lucide-react'
import type { Upload } from '../uploads/upload-queue.ts'
import type { Uploads } from '../uploads/use-uploads.ts'
import { explainError, isWorthRetrying } from '../client/explain-error.ts'
import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { Progress } from '../parts/feedback/progress.tsx'

/** Files being uploaded, each with progress and a cancel button, and refused files with the reason. */
export function UploadList({ uploads }: { readonly uploads: Uploads }) {
  if (uploads.uploads.length === 0) return null
  return (
    <ul
      aria-label={t('files.uploads')}
      className="border-line divide-line max-h-56 shrink-0 divide-y overflow-y-auto border-b"
    >
      {uploads.uploads.map((upload) => (
        <UploadRow key={upload.id} upload={upload} uploads={uploads} />
      ))}
    </ul>
  )
}

function UploadRow({ upload, uploads }: { readonly upload: Upload; readonly uploads: Uploads }) {
  const { id, name, share, error } = upload
  const failed = error !== null
  return (
    <li className={`flex items-center gap-2 py-1.5 ps-4 pe-2 text-sm ${failed ? 'bg-danger-soft' : 'bg-sunken'}`}>
      <div className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2">
          <span className="min-w-0 truncate font-medium">{name}</span>
          {!failed && (
            <span className="text-muted shrink-0 tabular-nums">
              {share === null
                ? t('files.waiting')
                : share < 1
                  ? formatNumber(share, { style: 'percent', maximumFractionDigits: 0 })
                  : t('files.storing')}
            </span>
          )}
        </p>
        {failed ? (
          <p role="alert" className="text-danger break-words">
            {explainError(error)}
          </p>
        ) : (
          <Progress label={t('files.uploading', { name })} value={share ?? 0} className="mt-1" />
        )}
      </div>
      {failed && isWorthRetrying(error) && (
        <IconButton label={t('action.retry')} icon={RotateCw} size="sm" onClick={() => uploads.retry(id)} />
      )}
      <IconButton
        label={t(failed ? 'files.upload_dismiss' : 'files.upload_cancel', { name })}
        icon={X}
        size="sm"
        onClick={() => uploads.remove(id)}
      />
    </li>
  )
}
