import { UserRoundCog } from 'lucide-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ElevationNow } from '../../contract/elevations.ts'
import { Button } from '../parts/controls/button.tsx'
import { announce } from '../parts/feedback/announcer.tsx'
import { toast } from '../parts/feedback/toast.tsx'
import { explainError } from '../client/explain-error.ts'
import { formatDateTime } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { useTimeLeft } from './time-left.ts'
import { useEndElevation } from './use-end-elevation.ts'

/** Above every page while the user has another role than their own: which, how long it lasts, and the way back. */
export function ElevationBanner({ elevation }: { readonly elevation: ElevationNow }) {
  const { elevation_id: id, role, own_role: own, ends_at: until } = elevation
  const queryClient = useQueryClient()
  const left = useTimeLeft(until)
  const end = useEndElevation()
  const over = left === null
  useEffect(() => {
    announce(t('elevation.has_role', { role }))
    return () => announce(t('elevation.over', { role: own }))
  }, [role, own])
  // Nobody tells that the time is over: everything the page shows is another's from now on.
  useEffect(() => {
    if (over) void queryClient.invalidateQueries()
  }, [over, queryClient])
  return (
    <section
      aria-label={t('elevation.has_role', { role })}
      className="bg-accent-soft border-line flex flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-1.5 text-sm sm:px-6"
    >
      <UserRoundCog aria-hidden className="text-accent size-4 shrink-0" />
      <p className="min-w-0 flex-1 break-words">
        <span className="font-medium">{t('elevation.has_role', { role })}</span>{' '}
        <time dateTime={until} title={formatDateTime(until)} className="text-muted whitespace-nowrap tabular-nums">
          {over ? t('elevation.over', { role: own }) : t('elevation.left', { time: left })}
        </time>
      </p>
      <Button
        size="sm"
        busy={end.isPending}
        onClick={() =>
          end.mutate(id, {
            onError: (error) => toast({ text: `${t('elevation.end_failed')}. ${explainError(error)}`, tone: 'danger' }),
          })
        }
      >
        {t('elevation.end')}
      </Button>
    </section>
  )
}
