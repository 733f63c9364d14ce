import { Monitor, Smartphone, Terminal } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { Badge } from '../../parts/feedback/badge.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import type { SignInSession } from '../account-queries.ts'
import { deviceName } from '../device-name.ts'

interface SessionRowProps {
  readonly session: SignInSession
  readonly busy: boolean
  onEnd(): void
}

/** One session: which device, from where, since when. The current one is marked. */
export function SessionRow({ session, busy, onEnd }: SessionRowProps) {
  const { user_agent: agent, address, current, created_at: begun, last_seen_at: seen } = session
  const device = deviceName(agent)
  const Icon = /\b(?:Mobi|iPhone|iPad|Android)/.test(agent)
    ? Smartphone
    : agent.startsWith('Mozilla/')
      ? Monitor
      : Terminal
  return (
    <li className="flex items-center gap-3 px-4 py-3">
      <Icon aria-hidden className="text-muted size-5 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 font-medium break-words" title={agent}>
          {device}
          {current && <Badge tone="active">{t('account.session_current')}</Badge>}
        </p>
        <p className="text-muted text-sm break-words">
          {address} · {t('account.session_seen')} <RelativeTime at={seen} />
        </p>
        <p className="text-muted text-sm">
          {t('account.session_begun')} <RelativeTime at={begun} />
        </p>
      </div>
      {!current && (
        <Button size="sm" disabled={busy} onClick={onEnd}>
          {t('account.session_end')}
          <span className="sr-only"> {device}</span>
        </Button>
      )}
    </li>
  )
}
