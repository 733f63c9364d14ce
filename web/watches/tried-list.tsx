import { Status } from '../parts/feedback/status.tsx'
import { t } from '../text/i18n.ts'
import { subjectName } from './subject-list.tsx'
import { nothingText, valueText } from './watch-words.ts'
import type { Tried, Watch } from './watches-query.ts'

/** What the watch would see now. */
export function TriedList({ tried, source }: { readonly tried: Tried; readonly source: Watch['source'] }) {
  const { problem, subjects, all } = tried
  if (problem !== null) return <p className="text-warn text-sm break-words">{problem}</p>
  if (all === 0) return <p className="text-muted text-sm">{nothingText(source)}</p>
  return (
    <ul aria-label={t('watches.tried')} className="space-y-1 text-sm">
      {subjects.map(({ machine, row, value, problem: why, beyond }) => (
        <li key={`${machine} ${row}`} className="flex flex-wrap items-baseline gap-x-2">
          <Status
            tone={why !== null ? 'warn' : beyond ? 'danger' : 'ok'}
            label={t(why !== null ? 'watches.phase_unknown' : beyond ? 'watches.beyond' : 'watches.phase_ok')}
            iconOnly
            className="self-center"
          />
          <span className="min-w-0 break-words">{subjectName({ machine, row })}</span>
          <span className="tabular font-medium break-words">{valueText(source, value)}</span>
          {why !== null && <span className="text-muted min-w-0 break-words">{why}</span>}
        </li>
      ))}
      {all > subjects.length && <li className="text-muted">{t('watches.more', { count: all - subjects.length })}</li>}
    </ul>
  )
}
