import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Page } from '../parts/layout/page.tsx'
import { t } from '../text/i18n.ts'
import { WatchList } from '../watches/watch-list.tsx'
import { watchesQuery } from '../watches/watches-query.ts'

/** What is looked at by itself. `?watch=` opens the history of one, as messages link to it. */
export function WatchesPage() {
  const query = useQuery(watchesQuery)
  const { watch } = useSearch({ from: '/app/watches' })
  return (
    <Page title={t('nav.watches')}>
      <div className="max-w-3xl space-y-6">
        <p className="text-muted max-w-prose">{t('watches.text')}</p>
        <QueryView
          query={query}
          failed={t('watches.load_failed')}
          loading={<SkeletonRows rows={4} className="h-20 rounded-lg" />}
        >
          {({ items }) => <WatchList watches={items} wanted={watch ?? null} />}
        </QueryView>
      </div>
    </Page>
  )
}
