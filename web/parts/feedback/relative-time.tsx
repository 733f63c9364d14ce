import { formatDateTime, formatRelative } from '../../text/format.ts'
import { useNow } from '../../shell/use-now.ts'

/** "5 minutes ago", kept up to date; the full date on hover. `at` is an ISO string. */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const now = useNow(30_000)
  return (
    <time dateTime={at} title={formatDateTime(at)} className={className}>
      {formatRelative(at, now)}
    </time>
  )
}
