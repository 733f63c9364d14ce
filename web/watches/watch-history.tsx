import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'
import { PagedView } from '../parts/feedback/paged-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Status } from '../parts/feedback/status.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { formatDateTime, formatDuration } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { subjectName } from './subject-list.tsx'
import { valueText, watchName } from './watch-words.ts'
import type { Watch } from './watches-query.ts'

type Crossing = Output<'GET /api/watches/{watch_id}/crossings'>['items'][number]

/** Every time that the bound was crossed, newest first. */
export function WatchHistory({ watch, onClose }: { readonly watch: Watch; onClose(): void }) {
  const { watch_id } = watch
  const query = useInfiniteQuery({
    queryKey: ['watches', watch_id, 'crossings'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/watches/{watch_id}/crossings', {
        params: { watch_id },
        query: { limit: 50, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 0,
  })
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('watches.history_of', { name: watchName(watch) })}>
      <PagedView
        query={query}
        failed={t('watches.load_failed')}
        loading={<SkeletonRows rows={3} className="h-12 rounded-lg" />}
        more={t('watches.older')}
        className="mt-3"
      >
        {(items) =>
          items.length === 0 ? (
            <p className="text-muted">{t('watches.history_none')}</p>
          ) : (
            <ul className="divide-line divide-y">
              {items.map((crossing) => (
                <CrossingRow key={crossing.crossing_id} watch={watch} crossing={crossing} />
              ))}
            </ul>
          )
        }
      </PagedView>
    </Dialog>
  )
}

function CrossingRow({ watch, crossing }: { readonly watch: Watch; readonly crossing: Crossing }) {
  const { crossed_at, ended_at, ended, value, routine, told } = crossing
  const name = subjectName(crossing)
  const lasted = ended_at === null ? null : Date.parse(ended_at) - Date.parse(crossed_at)
  const facts = [
    ...(lasted === null ? [] : [t('watches.lasted', { time: formatDuration(lasted) })]),
    t(told ? 'watches.was_told' : 'watches.was_not_told'),
    ...(routine === null ? [] : [t(`watches.routine_${routine}`)]),
  ]
  return (
    <li className="py-2">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <time dateTime={crossed_at} className="font-medium">
          {formatDateTime(crossed_at)}
        </time>
        {name !== '' && <span className="min-w-0 break-words">{name}</span>}
        <span className="tabular break-words">{valueText(watch.source, value)}</span>
        <Status
          tone={ended === null ? 'danger' : ended === 'recovered' ? 'ok' : 'neutral'}
          label={t(`watches.ended_${ended ?? 'not'}`)}
          className="self-center"
        />
      </p>
      <p className="text-muted text-sm break-words">{facts.join(' · ')}</p>
    </li>
  )
}
