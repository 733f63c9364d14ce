import { formatDate } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Badge } from '../../parts/feedback/badge.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { useNow } from '../../shell/use-now.ts'
import type { AccessToken } from '../account-queries.ts'

/** One access token: what it may do, when it expires, and when it was last used. */
export function TokenRow({ token, onRevoke }: { readonly token: AccessToken; onRevoke(): void }) {
  const {
    name,
    audience,
    client_id: client,
    permissions,
    created_at: made,
    expires_at: ends,
    last_used_at: used,
  } = token
  const now = useNow(60_000)
  const expired = ends !== null && Date.parse(ends) <= now
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 font-medium break-words">
          {name}
          {audience === 'mcp' && <Badge>{t(client === null ? 'account.token_mcp' : 'account.token_let_in')}</Badge>}
          {expired && <Badge tone="warn">{t('account.token_expired')}</Badge>}
        </p>
        <p className="text-muted text-sm">
          {t('account.added_on', { date: formatDate(made) })} ·{' '}
          {ends === null ? t('account.token_endless') : t('account.token_ends', { date: formatDate(ends) })}
        </p>
        <p className="text-muted text-sm">
          {used === null ? (
            t('account.never_used')
          ) : (
            <>
              {t('account.last_used')} <RelativeTime at={used} />
            </>
          )}
        </p>
        <p className="text-muted text-sm break-words">
          {permissions === null ? t('account.token_wide') : <Subjects subjects={permissions} />}
        </p>
      </div>
      <Button size="sm" onClick={onRevoke}>
        {t('account.token_revoke')}
        <span className="sr-only"> {name}</span>
      </Button>
    </li>
  )
}

function Subjects({ subjects }: { readonly subjects: readonly string[] }) {
  if (subjects.length === 0) return t('account.token_nothing')
  return (
    <>
      {t('account.token_only')} <span className="font-mono text-xs">{subjects.join(', ')}</span>
    </>
  )
}
