import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import type { Output } from '../../client/api-types.ts'
import { Button } from '../../parts/controls/button.tsx'
import { FilterChoice } from '../../parts/filters/filter-choice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { t } from '../../text/i18n.ts'

type Delivery = Output<'GET /api/admin/deliveries'>['items'][number]
const STATES = ['dead', 'pending', 'sent', 'dropped'] as const
const TONE: Readonly<Record<Delivery['status'], Tone>> = {
  dead: 'danger',
  pending: 'info',
  sent: 'ok',
  dropped: 'neutral',
}

/** What was sent, waits, or could not be delivered. Without a filter, what failed stands first. */
export function DeliveriesList() {
  const [status, setStatus] = useState<Delivery['status'] | ''>('')
  const choice = (
    <FilterChoice
      label={t('channels.state')}
      value={status}
      any={t('channels.any_state')}
      onChange={(value) => setStatus(value as Delivery['status'] | '')}
      options={STATES.map((value) => ({ value, label: t(`channels.state_${value}`) }))}
    />
  )
  return (
    <Section title={t('channels.deliveries')} actions={choice}>
      <div className="space-y-3">
        {status === '' && <Deliveries status="dead" quiet />}
        <Deliveries key={status} status={status} />
      </div>
    </Section>
  )
}

/** `quiet`: nothing is shown where there is none. */
function Deliveries({ status, quiet = false }: { readonly status: Delivery['status'] | ''; readonly quiet?: boolean }) {
  const query = useInfiniteQuery({
    queryKey: ['notifications', 'deliveries', status],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/admin/deliveries', {
        query: {
          limit: quiet ? 10 : 50,
          ...(status !== '' && { status }),
          ...(pageParam !== null && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 0,
  })
  if (quiet && (query.data?.pages[0]?.items.length ?? 0) === 0) return null
  return (
    <>
      <QueryView
        query={query}
        failed={t('channels.load_failed')}
        loading={<SkeletonRows rows={3} className="h-14 rounded-lg" />}
      >
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items)
          if (items.length === 0) return <p className="text-muted">{t('channels.deliveries_none')}</p>
          return (
            <Panel>
              <ul
                aria-label={t(quiet ? 'channels.state_dead' : 'channels.deliveries')}
                className="divide-line divide-y"
              >
                {items.map((delivery) => (
                  <DeliveryRow key={delivery.outbox_id} delivery={delivery} />
                ))}
              </ul>
            </Panel>
          )
        }}
      </QueryView>
      {!quiet && query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('approvals.older')}
        </Button>
      )}
    </>
  )
}

function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
  const { event, channel, username, status, attempts, problem, due_at, done_at } = delivery
  return (
    <li className="px-4 py-2.5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Status tone={TONE[status]} label={t(`channels.state_${status}`)} />
        <span className="min-w-0 break-words">{channel ?? t('channels.not_known')}</span>
        <RelativeTime at={done_at ?? due_at} className="text-muted text-sm" />
      </p>
      <p className="text-muted text-sm break-words">
        {[t(`channels.event_${event}`), ...(username === null ? [] : [username])].join(' · ')}
        {attempts > 1 && ` · ${t('channels.attempts', { count: attempts })}`}
        {problem !== null && ` · ${problem}`}
      </p>
    </li>
  )
}
