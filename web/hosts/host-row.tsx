import { Link } from '@tanstack/react-router'
import { Badge } from '../parts/feedback/badge.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { formatDuration } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { conditionOf, isLocal, placeOf } from './find-hosts.ts'
import { HelperStatus } from './reeve-op-state.tsx'
import { HostStatus } from './host-status.tsx'
import type { Host } from './hosts-query.ts'

/** One machine on a line: what it is called, how it is and why, where it is, what runs on it. The whole line opens it. */
export function HostRow({ host }: { readonly host: Host }) {
  const condition = conditionOf(host)
  const well = condition === 'ok'
  return (
    <li className="hover:bg-hover relative grid gap-x-4 gap-y-0.5 px-4 py-2 lg:grid-cols-[minmax(8rem,1.2fr)_minmax(9rem,1.2fr)_minmax(8rem,1fr)_minmax(8rem,1.4fr)_5rem] lg:items-center">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Link
          to="/admin/$page"
          params={{ page: 'hosts' }}
          search={{ host: host.host_id }}
          className="font-medium break-all before:absolute before:inset-0 focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:-outline-offset-2"
        >
          {isLocal(host) ? t('audit.host_this') : host.name}
        </Link>
        {host.tags.map((tag) => (
          <Badge key={tag}>#{tag}</Badge>
        ))}
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2">
        <HostStatus host={host} />
        {!well && <p className="text-muted text-sm">{t(`hosts.why_${condition}`)}</p>}
        {well && host.latency_ms !== null && (
          <span className="text-muted tabular text-sm">{formatDuration(host.latency_ms)}</span>
        )}
      </div>
      <p className="text-muted min-w-0 truncate text-sm">{isLocal(host) ? '' : placeOf(host)}</p>
      <div className="min-w-0">
        <p className="text-muted truncate text-sm">{host.facts?.system}</p>
        {host.helper && <HelperStatus helper={host.helper} />}
      </div>
      <p className="text-muted text-sm lg:text-end">
        {host.checked_at !== null && (
          <>
            <span className="lg:sr-only">{t('hosts.checked')} </span>
            <RelativeTime at={host.checked_at} />
          </>
        )}
      </p>
    </li>
  )
}
