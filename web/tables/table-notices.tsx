import { CircleAlert, LoaderCircle } from 'lucide-react'
import { t } from '../text/i18n.ts'

interface TableNoticesProps {
  /** The server's notes on what it found. */
  readonly notices: readonly string[]
  /** The file is still being read. */
  readonly preparing: boolean
}

/** Notices about a table's file. */
export function TableNotices({ notices, preparing }: TableNoticesProps) {
  if (notices.length === 0 && !preparing) return null
  return (
    <div role="status" className="border-line bg-warn-soft border-b px-3 py-1.5 text-sm">
      {preparing && (
        <p className="flex items-start gap-2">
          <LoaderCircle aria-hidden className="text-info mt-0.5 size-4 shrink-0 animate-spin" />
          {t('tables.preparing')}
        </p>
      )}
      {notices.length > 0 && (
        <ul className="max-h-24 overflow-y-auto">
          {notices.map((notice) => (
            <li key={notice} className="flex items-start gap-2">
              <CircleAlert aria-hidden className="text-warn mt-0.5 size-4 shrink-0" />
              <span className="min-w-0 break-words">{notice}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
