import { useInfiniteQuery } from '@tanstack/react-query'
import { Square } from 'lucide-react'
import { useState } from 'react'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'
import { Button } from '../parts/controls/button.tsx'
import { Badge } from '../parts/feedback/badge.tsx'
import { PagedView } from '../parts/feedback/paged-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { ConfirmDialog } from '../parts/layout/confirm-dialog.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { useRoutineChange } from './routines-query.ts'
import { formatInNamedZone } from '../text/zone-time.ts'

type AnyRoutine = Output<'GET /api/admin/routines'>['items'][number]

/** What everybody has planned, for administrators: never what it does. */
export function AllRoutines() {
  const query = useInfiniteQuery({
    queryKey: ['routines', 'all'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/admin/routines', {
        query: { limit: 50, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 0,
  })
  return (
    <Section title={t('routines.all')}>
      <PagedView
        query={query}
        failed={t('routines.load_failed')}
        loading={<SkeletonRows rows={2} className="h-14" />}
        className="mt-3"
      >
        {(items) =>
          items.length === 0 ? (
            <p className="text-muted">{t('routines.all_none')}</p>
          ) : (
            <Panel>
              <ul className="divide-line divide-y">
                {items.map((routine) => (
                  <Row key={routine.routine_id} routine={routine} />
                ))}
              </ul>
            </Panel>
          )
        }
      </PagedView>
    </Section>
  )
}

function Row({ routine }: { readonly routine: AnyRoutine }) {
  const { routine_id, name, username, paused_by, running } = routine
  const [stopping, setStopping] = useState(false)
  const change = useRoutineChange({ told: true })
  const params = { routine_id }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-44">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium break-words">{name}</span>
          {paused_by !== null && <Badge tone="warn">{t('routines.is_paused')}</Badge>}
          {running > 0 && <Badge tone="active">{t('routines.running', { count: running })}</Badge>}
        </p>
        <p className="text-muted text-sm break-words">{[username, ...factsOf(routine)].join(' · ')}</p>
      </div>
      {paused_by === 'admin' ? (
        <Button
          size="sm"
          busy={change.isPending}
          onClick={() =>
            change.mutate({ run: () => call('POST /api/admin/routines/{routine_id}/release', { params }) })
          }
        >
          {t('routines.release')}
          <span className="sr-only"> {name}</span>
        </Button>
      ) : (
        <Button size="sm" icon={Square} busy={change.isPending} onClick={() => setStopping(true)}>
          {t('routines.stop')}
          <span className="sr-only"> {name}</span>
        </Button>
      )}
      {stopping && (
        <ConfirmDialog
          title={t('routines.stop_title', { name })}
          text={t('routines.stop_text')}
          verb={t('routines.stop')}
          danger
          onConfirm={() => change.mutate({ run: () => call('POST /api/admin/routines/{routine_id}/stop', { params }) })}
          onClose={() => setStopping(false)}
        />
      )}
    </li>
  )
}

/** When it is due, or why it rests. */
function factsOf({ schedule, next_at, paused_by, failures }: AnyRoutine): string[] {
  const facts = failures > 0 ? [t('notices.seen_alone', { what: t('routines.failures'), value: failures })] : []
  if (paused_by === 'admin') return [...facts, t('routines.paused_admin')]
  if (schedule === null) return [...facts, t('routines.no_schedule')]
  return next_at === null ? facts : [formatInNamedZone(next_at, schedule.zone), ...facts]
}
