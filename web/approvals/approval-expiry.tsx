import { formatDateTime, formatDuration } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { useNow } from '../shell/use-now.ts'

/** Time left to decide a card; counts seconds in the last two minutes. */
export function ApprovalExpiry({ expiresAt }: { expiresAt: string }) {
  const end = new Date(expiresAt).getTime()
  const now = useNow(end - Date.now() < 120_000 ? 1000 : 20_000)
  const left = end - now
  const minutes = Math.ceil(left / 60_000)
  const shown =
    left < 120_000
      ? Math.floor(left / 1000) * 1000
      : minutes >= 60
        ? Math.floor(minutes / 60) * 3_600_000
        : minutes * 60_000
  return (
    <time dateTime={expiresAt} title={formatDateTime(expiresAt)} className="text-ink text-sm">
      {left <= 0 ? t('approval.has_expired') : t('approval.expires_in', { time: formatDuration(shown) })}
    </time>
  )
}
