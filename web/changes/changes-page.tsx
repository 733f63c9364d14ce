import { useInfiniteQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { countOf } from '../parts/filters/filter-bar.tsx'
import { Page } from '../parts/layout/page.tsx'
import { t } from '../text/i18n.ts'
import { ChangeList } from './change-list.tsx'
import { ChangesFilters } from './changes-filters.tsx'
import { changesQuery, type ChangesSearch, FILTERS } from './changes-query.ts'

/** What calls have changed: one's own, or everybody's for whoever may read the audit log; each opens in place. */
export function ChangesPage() {
  const given = useLocation({ select: (location) => location.search as Readonly<Record<string, unknown>> })
  const search: ChangesSearch = Object.fromEntries(
    FILTERS.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])),
  )
  const navigate = useNavigate()
  const onSearch = (next: ChangesSearch): void => {
    const kept = Object.entries(next).filter(([, value]) => value !== undefined && value !== '')
    void navigate({ to: '/approvals', replace: true, search: { view: 'changes', ...Object.fromEntries(kept) } })
  }
  const query = useInfiniteQuery(changesQuery(search))
  const first = query.data?.pages[0]
  return (
    <Page title={t('changes.title')}>
      <div className="space-y-4">
        <p className="text-muted max-w-prose">{t('changes.text', { days: first?.keep_days ?? 30 })}</p>
        <ChangesFilters search={search} all={first?.all === true} onChange={onSearch} count={countOf(query)} />
        <ChangeList query={query} none={() => ({ title: t('changes.none'), text: t('changes.none_text') })} />
      </div>
    </Page>
  )
}
