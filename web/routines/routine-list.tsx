import { Link } from '@tanstack/react-router'
import { Badge } from '../parts/feedback/badge.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { t } from '../text/i18n.ts'
import { FireState } from './fire-state.tsx'
import { RoutineMenu } from './routine-menu.tsx'
import type { Routine } from './routines-query.ts'
import { formatInNamedZone } from '../text/zone-time.ts'

/** A person's routines by name: when each is due, and how it last went. */
export function RoutineList({ routines }: { readonly routines: readonly Routine[] }) {
  return (
    <Panel>
      <ul className="divide-line divide-y">
        {routines.map((routine) => (
          <RoutineRow key={routine.routine_id} routine={routine} />
        ))}
      </ul>
    </Panel>
  )
}

function RoutineRow({ routine }: { readonly routine: Routine }) {
  const { routine_id, name, title, last, paused_by } = routine
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/routines/$id"
            params={{ id: routine_id }}
            className="font-medium break-words hover:underline hover:underline-offset-2"
          >
            {name}
          </Link>
          {paused_by !== null && <Badge tone="warn">{t('routines.is_paused')}</Badge>}
        </p>
        <p className="text-muted truncate text-sm">{title}</p>
        <p className="text-sm">
          <NextTime routine={routine} />
        </p>
        {last !== null && (
          <p className="mt-0.5 flex flex-wrap items-center gap-x-2 text-sm">
            <FireState fire={last} />
            <RelativeTime at={last.due_at} className="text-muted" />
          </p>
        )}
      </div>
      <div className="flex items-center gap-1">
        <RoutineMenu routine={routine} />
      </div>
    </li>
  )
}

/** When it is due next, or why it is not. */
export function NextTime({ routine: { next, schedule, paused_by } }: { readonly routine: Routine }) {
  if (paused_by !== null) return <span className="text-muted">{t(`routines.paused_${paused_by}`)}</span>
  const [first] = next
  if (first === undefined || schedule === null) return <span className="text-muted">{t('routines.no_schedule')}</span>
  return <time dateTime={first}>{t('routines.next', { time: formatInNamedZone(first, schedule.zone) })}</time>
}
