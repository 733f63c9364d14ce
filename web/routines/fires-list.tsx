import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import { PagedView } from '../parts/feedback/paged-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { FireRow } from './fire-state.tsx'

/** When a routine ran, and what came of it, newest first. */
export function FiresList({ routineId }: { readonly routineId: string }) {
  const query = useInfiniteQuery({
    queryKey: ['routines', routineId, 'fires'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/routines/{routine_id}/fires', {
        params: { routine_id: routineId },
        query: { limit: 50, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
  return (
    <Section title={t('routines.history')}>
      <PagedView
        query={query}
        failed={t('routines.load_failed')}
        loading={<SkeletonRows rows={3} className="h-11" />}
        className="mt-3"
      >
        {(items) =>
          items.length === 0 ? (
            <p className="text-muted">{t('routines.history_none')}</p>
          ) : (
            <Panel>
              <ul className="divide-line divide-y">
                {items.map((fire) => (
                  <FireRow key={fire.fire_id} fire={fire} />
                ))}
              </ul>
            </Panel>
          )
        }
      </PagedView>
    </Section>
  )
}
