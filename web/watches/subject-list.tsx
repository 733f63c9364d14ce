import { Status } from '../parts/feedback/status.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import type { Tone } from '../parts/feedback/tone.ts'
import { t } from '../text/i18n.ts'
import { valueText } from './watch-words.ts'
import type { Watch } from './watches-query.ts'

type Subject = Watch['subjects'][number]

const TONE: Readonly<Record<Subject['phase'], Tone>> = { crossed: 'danger', pending: 'info', ok: 'ok' }

/** Machines and rows with their latest value; what has none says why. */
export function SubjectList({ watch, more }: { readonly watch: Watch; readonly more: number }) {
  return (
    <ul className="mt-2 space-y-1 text-sm">
      {watch.subjects.map((subject) => (
        <SubjectLine key={`${subject.machine} ${subject.row}`} watch={watch} subject={subject} />
      ))}
      {more > 0 && <li className="text-muted">{t('watches.more', { count: more })}</li>}
    </ul>
  )
}

function SubjectLine({ watch, subject }: { readonly watch: Watch; readonly subject: Subject }) {
  const { phase, value, problem, since } = subject
  const name = subjectName(subject)
  const tone = problem === null ? TONE[phase] : phase === 'crossed' ? 'danger' : 'warn'
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <Status
        tone={tone}
        label={t(problem === null || phase === 'crossed' ? `watches.phase_${phase}` : 'watches.phase_unknown')}
        iconOnly
        className="self-center"
      />
      {name !== '' && <span className="min-w-0 break-words">{name}</span>}
      <span className="tabular font-medium break-words">{valueText(watch.source, value)}</span>
      {phase !== 'ok' && <RelativeTime at={since} className="text-muted" />}
      {problem !== null && problem !== watch.problem && (
        <span className="text-muted min-w-0 break-words">{problem}</span>
      )}
    </li>
  )
}

export function subjectName({ machine, row }: { readonly machine: string; readonly row: string }): string {
  return [machine, row].filter((part) => part !== '').join(' · ')
}
