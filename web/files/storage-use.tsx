import type { FileUsage } from '../../contract/files.ts'
import { classNames } from '../parts/class-names.ts'
import { formatBytes } from '../text/format.ts'
import { t } from '../text/i18n.ts'

/** From this share on, the bar warns. */
const NEARLY_FULL = 0.9

/** How much of the user's storage is used; deleted files count until they are permanently deleted. */
export function StorageUse({ usage }: { readonly usage: FileUsage }) {
  const { bytes, deleted_bytes: deleted, limit, file_limit } = usage
  const share = limit === 0 ? 1 : Math.min(1, bytes / limit)
  const text = t('files.storage', { used: formatBytes(bytes), quota: formatBytes(limit) })
  return (
    <div className="border-line text-muted shrink-0 space-y-1 border-t px-4 py-2 text-sm tabular-nums">
      <p>
        {text}
        {deleted > 0 && <> · {t('files.storage_deleted', { size: formatBytes(deleted) })}</>}
        <> · {t('files.file_limit', { limit: formatBytes(file_limit) })}</>
      </p>
      <div aria-hidden className="bg-hover h-1 overflow-hidden rounded-full">
        <div
          className={classNames('h-full rounded-full', share >= NEARLY_FULL ? 'bg-warn' : 'bg-accent')}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  )
}
