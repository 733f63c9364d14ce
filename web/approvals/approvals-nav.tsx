import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { classNames } from '../parts/class-names.ts'
import { unreadNoticesQuery } from '../notices/notices-query.ts'
import { TAB, TAB_ROW } from '../parts/controls/tab-look.ts'
import { Badge } from '../parts/feedback/badge.tsx'
import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { useOthersCount } from './use-pending-approvals.ts'

export type ApprovalsView = 'own' | 'others' | 'notices' | 'changes'

/** Between what the user asked for, what others ask for, what the user has been told, and what calls have changed. */
export function ApprovalsNav({ view }: { readonly view: ApprovalsView }) {
  const waiting = useOthersCount()
  const unread = useQuery(unreadNoticesQuery).data?.unread ?? 0
  const links = [
    { label: t('nav.approvals'), search: {}, current: view === 'own' },
    { label: t('votes.title'), search: { view: 'others' }, current: view === 'others', count: waiting },
    { label: t('notices.list'), search: { view: 'notices' }, current: view === 'notices', count: unread, calm: true },
    { label: t('changes.title'), search: { view: 'changes' }, current: view === 'changes' },
  ]
  return (
    <nav aria-label={t('changes.nav')} className={classNames(TAB_ROW, 'shrink-0 px-1.5 sm:px-3.5')}>
      {links.map(({ label, search, current, count = 0, calm = false }) => (
        <Link
          key={label}
          to="/approvals"
          search={search}
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={current ? 'page' : undefined}
          className={TAB}
        >
          {label}
          {count > 0 && (
            <span className="ms-1.5">
              <Badge tone={calm ? 'neutral' : 'warn'}>{formatNumber(count)}</Badge>
            </span>
          )}
        </Link>
      ))}
    </nav>
  )
}
