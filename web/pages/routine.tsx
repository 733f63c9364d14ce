import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ArrowLeft, SearchX } from 'lucide-react'
import { ApiError } from '../client/api-error.ts'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Page } from '../parts/layout/page.tsx'
import { RoutineMenu } from '../routines/routine-menu.tsx'
import { RoutineView } from '../routines/routine-view.tsx'
import { routineQuery } from '../routines/routines-query.ts'
import { t } from '../text/i18n.ts'

/** One routine; messages link to it. */
export function RoutinePage() {
  const { id } = useParams({ from: '/app/routines/$id' })
  const navigate = useNavigate()
  const query = useQuery(routineQuery(id))
  const missing = query.error instanceof ApiError && query.error.status === 404
  return (
    <Page
      title={query.data?.name ?? t('nav.routines')}
      lead={
        <Link
          to="/routines"
          aria-label={t('routines.back')}
          className="text-muted hover:bg-hover hover:text-ink -ml-2 inline-flex size-9 shrink-0 items-center justify-center rounded-md"
        >
          <ArrowLeft aria-hidden className="size-4" />
        </Link>
      }
      actions={
        query.data !== undefined &&
        !missing && <RoutineMenu routine={query.data} onRemoved={() => void navigate({ to: '/routines' })} />
      }
    >
      {missing ? (
        <EmptyState icon={SearchX} title={t('routines.not_found')} text={t('routines.not_found_text')} />
      ) : (
        <QueryView
          query={query}
          failed={t('routines.load_failed')}
          loading={<SkeletonRows rows={3} className="h-20 rounded-lg" />}
        >
          {(routine) => <RoutineView routine={routine} />}
        </QueryView>
      )}
    </Page>
  )
}
