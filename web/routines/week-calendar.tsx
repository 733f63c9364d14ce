import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { formatTime } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { ownZone } from '../text/own-zone.ts'
import { formatTimeInZone, formatWeekday } from '../text/zone-time.ts'
import { useNow } from '../shell/use-now.ts'
import { type Routine, weekQuery } from './routines-query.ts'

const DAY_MS = 86_400_000
/** Times of one routine on one day that are named; the rest is a number. */
const NAMED = 3

interface DayEntry {
  readonly routine: Routine
  readonly times: readonly string[]
}

/** What is due in the next seven days, day by day, as the clocks of the reader say, and those of the routine's own zone. */
export function WeekCalendar({ routines }: { readonly routines: readonly Routine[] }) {
  const query = useQuery(weekQuery)
  const now = useNow(60_000)
  return (
    <QueryView query={query} failed={t('routines.load_failed')} loading={<SkeletonRows rows={3} className="h-16" />}>
      {(items) => (
        <>
          <p className="text-muted mb-2 text-sm">{t('routines.week_zone', { zone: ownZone() })}</p>
          <ol className="grid gap-2 md:grid-cols-7" aria-label={t('routines.week')}>
            {Array.from({ length: 7 }, (_, i) => new Date(now + i * DAY_MS)).map((day) => (
              <Day key={dayOf(day)} day={day} entries={entriesOf(items, routines, dayOf(day))} />
            ))}
          </ol>
        </>
      )}
    </QueryView>
  )
}

function Day({ day, entries }: { readonly day: Date; readonly entries: readonly DayEntry[] }) {
  return (
    <li className="bg-surface border-line min-w-0 rounded-lg border px-2.5 py-2 md:min-h-28">
      <h3 className="text-sm font-medium">{formatWeekday(day)}</h3>
      {entries.length === 0 ? (
        <p className="text-muted text-sm">{t('routines.free_day')}</p>
      ) : (
        <ul className="mt-1 space-y-1">
          {entries.map(({ routine, times }) => (
            <li key={routine.routine_id} className="min-w-0 text-sm">
              <Link
                to="/routines/$id"
                params={{ id: routine.routine_id }}
                className="block truncate hover:underline hover:underline-offset-2"
              >
                {routine.name}
              </Link>
              <span className="text-muted block text-xs tabular-nums">
                {namedTimes(times, formatTime)}
                {times.length > NAMED && ` ${t('routines.more_times', { count: times.length - NAMED })}`}
              </span>
              <ZoneTimes routine={routine} times={times} />
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** The same times as the clocks of the routine's own zone say, where these say something else. */
function ZoneTimes({ routine: { schedule }, times }: DayEntry) {
  if (schedule === null) return null
  const { zone } = schedule
  const there = namedTimes(times, (at) => formatTimeInZone(at, zone))
  if (there === namedTimes(times, (at) => formatTimeInZone(at, ownZone()))) return null
  return (
    <span className="text-muted block text-xs break-words tabular-nums">
      {t('routines.zone_times', { times: there, zone })}
    </span>
  )
}

function namedTimes(times: readonly string[], format: (at: string) => string): string {
  return times.slice(0, NAMED).map(format).join(', ')
}

function entriesOf(
  items: readonly { readonly routine_id: string; readonly at: string }[],
  routines: readonly Routine[],
  day: string,
): DayEntry[] {
  const onDay = items.filter(({ at }) => dayOf(new Date(at)) === day)
  return routines.flatMap((routine) => {
    const times = onDay.flatMap(({ routine_id, at }) => (routine_id === routine.routine_id ? [at] : []))
    return times.length === 0 ? [] : [{ routine, times }]
  })
}

/** The day as the reader's calendar has it. */
function dayOf(at: Date): string {
  return `${at.getFullYear()}-${at.getMonth()}-${at.getDate()}`
}
