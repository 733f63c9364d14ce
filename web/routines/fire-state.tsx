import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { RunState } from '../parts/feedback/run-state.tsx'
import { Status } from '../parts/feedback/status.tsx'
import type { Tone } from '../parts/feedback/tone.ts'
import { t, noticeWithoutDetail } from '../text/i18n.ts'
import type { Fire } from './routines-query.ts'

const TONE: Readonly<Record<Fire['outcome'], Tone>> = {
  started: 'ok',
  queued: 'info',
  skipped: 'neutral',
  missed: 'warn',
  refused: 'danger',
}

const LINK = 'text-accent text-sm underline underline-offset-2'

/** How a routine last went, in one line: the state of its run, or why there was none. */
export function FireState({ fire }: { readonly fire: Fire }) {
  if (fire.run !== null) return <RunState status={fire.run.status} />
  return <Status tone={TONE[fire.outcome]} label={t(`routines.outcome_${fire.outcome}`)} />
}

/** One entry of the history, with the conversation of its run and its report. */
export function FireRow({ fire }: { readonly fire: Fire }) {
  const { cause, due_at, reason, times, run, report } = fire
  const ended = run?.error_code == null ? null : noticeWithoutDetail(run.error_code)
  const why = [
    t(`routines.cause_${cause}`),
    ...(times > 1 ? [t('routines.times', { count: times })] : []),
    ...(reason === null ? [] : [reason]),
    ...(ended === null ? [] : [ended]),
  ]
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2.5">
      <FireState fire={fire} />
      <span className="text-muted min-w-0 flex-1 basis-48 text-sm break-words">{why.join(' · ')}</span>
      <RelativeTime at={due_at} className="text-muted text-sm" />
      {report !== null && (
        <Link to="/files" search={{ f: report.file_id }} title={report.name} className={LINK}>
          {t('routines.open_report')}
        </Link>
      )}
      {run !== null && (
        <Link to="/chat" search={{ c: run.conversation_id }} className={LINK}>
          {t('routines.open_run')}
        </Link>
      )}
    </li>
  )
}
