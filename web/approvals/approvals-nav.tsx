import { Link } from '@tanstack/react-router'
import { classNames } from '../parts/class-names.ts'
import { TAB, TAB_ROW } from '../parts/controls/tab-look.ts'
import { t } from '../text/i18n.ts'

/** Between what waits to be decided, and what calls have changed. */
export function ApprovalsNav({ changes }: { readonly changes: boolean }) {
  const links = [
    { label: t('nav.approvals'), search: {}, current: !changes },
    { label: t('changes.title'), search: { view: 'changes' }, current: changes },
  ]
  return (
    <nav aria-label={t('changes.nav')} className={classNames(TAB_ROW, 'shrink-0 px-1.5 sm:px-3.5')}>
      {links.map(({ label, search, current }) => (
        <Link
          key={label}
          to="/approvals"
          search={search}
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={current ? 'page' : undefined}
          className={TAB}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
