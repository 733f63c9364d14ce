import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../client/api.ts'
import { Notice } from '../parts/feedback/notice.tsx'
import { t } from '../text/i18n.ts'
import { formatInZone } from '../text/zone-time.ts'

const PAUSE_MS = 250

/** The next five times of a schedule while it is being written, or why there are none. */
export function NextTimes({ cron, zone }: { readonly cron: string; readonly zone: string }) {
  const settled = useSettled(`${cron}\n${zone}`)
  const [asked = '', of = ''] = settled.split('\n')
  const query = useQuery({
    queryKey: ['routine-preview', asked, of],
    queryFn: ({ signal }) => call('POST /api/routines/preview', { body: { cron: asked, zone: of }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  const found = query.data
  return (
    <div aria-live="polite" className="min-h-28">
      {found?.problem != null && <Notice tone="warn">{found.problem}</Notice>}
      {found !== undefined && found.next.length > 0 && <TimesList times={found.next} zone={of} />}
    </div>
  )
}

/** Times as the clocks of a zone show them. */
export function TimesList({ times, zone }: { readonly times: readonly string[]; readonly zone: string }) {
  return (
    <>
      <p className="text-muted text-sm">{t('routines.next_times', { zone })}</p>
      <ol className="mt-1 text-sm tabular-nums">
        {times.map((at) => (
          <li key={at}>
            <time dateTime={at}>{formatInZone(at, zone)}</time>
          </li>
        ))}
      </ol>
    </>
  )
}

/** The value once nobody has typed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
