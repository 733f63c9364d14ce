import type { FileUsage } from '../../contract/files.ts'
import { classNames } from '../class-names.ts'
import { formatBytes } from '../format.ts'
import { t } from '../i18n.ts'

/** From here on the bar warns. */
const NEARLY_FULL = 0.9

/** How much of the own storage is used; deleted files count until they are gone for good. */
export function StorageUse({ usage: { bytes, deleted_bytes: deleted, limit } }: { readonly usage: FileUsage }) {
  const share = limit === 0 ? 1 : Math.min(1, bytes / limit)
  const text = t('files.storage', { used: formatBytes(bytes), quota: formatBytes(limit) })
  return (
    <div className="border-line text-muted shrink-0 space-y-1 border-t px-4 py-2 text-sm tabular-nums">
      <p>
        {text}
        {deleted > 0 && <> · {t('files.storage_deleted', { size: formatBytes(deleted) })}</>}
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
