import { useQuery } from '@tanstack/react-query'
import { CalendarClock, Plus } from 'lucide-react'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Page } from '../parts/layout/page.tsx'
import { Section } from '../parts/layout/section.tsx'
import { RoutineList } from '../routines/routine-list.tsx'
import { routinesQuery } from '../routines/routines-query.ts'
import { WeekCalendar } from '../routines/week-calendar.tsx'
import { openOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'

/** What somebody has planned: the list, and the next seven days. */
export function RoutinesPage() {
  const query = useQuery(routinesQuery)
  const add = (
    <Button variant="primary" icon={Plus} onClick={() => openOverlay({ kind: 'edit_routine', routine: null })}>
      {t('routines.add')}
    </Button>
  )
  return (
    <Page title={t('nav.routines')} actions={(query.data?.length ?? 0) > 0 && add}>
      <QueryView
        query={query}
        failed={t('routines.load_failed')}
        loading={<SkeletonRows rows={3} className="h-20 rounded-lg" />}
      >
        {(routines) =>
          routines.length === 0 ? (
            <EmptyState
              icon={CalendarClock}
              title={t('routines.empty_title')}
              text={t('routines.empty_text')}
              actions={add}
            />
          ) : (
            <div className="space-y-8">
              <RoutineList routines={routines} />
              <Section title={t('routines.week')}>
                <WeekCalendar routines={routines} />
              </Section>
            </div>
          )
        }
      </QueryView>
    </Page>
  )
}
