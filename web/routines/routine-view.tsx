import type { ReactNode } from 'react'
import { Notice } from '../parts/feedback/notice.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { formatDuration, formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { EngineName } from './engine-field.tsx'
import { FiresList } from './fires-list.tsx'
import { HooksPart } from './hooks-part.tsx'
import { ProcedurePart } from './procedure-part.tsx'
import { NextTime } from './routine-list.tsx'
import { scheduleWords } from './schedule-words.ts'
import type { Routine } from './routines-query.ts'
import { TimesList } from './next-times.tsx'

/** One routine: what it does, when, within what, who else starts it, and how it went. */
export function RoutineView({ routine }: { readonly routine: Routine }) {
  const { routine_id, work, next, schedule, scope, paused_by } = routine
  return (
    <div className="max-w-3xl space-y-8">
      {paused_by !== null && <Notice tone="warn">{t(`routines.paused_${paused_by}`)}</Notice>}
      <Section title={t('routines.when')}>
        {schedule !== null && next.length > 0 ? (
          <>
            <p className="mb-2">
              {scheduleWords(schedule)} <code className="text-muted ms-1 text-sm">{schedule.cron}</code>
            </p>
            <TimesList times={next} zone={schedule.zone} />
          </>
        ) : (
          <NextTime routine={routine} />
        )}
      </Section>
      <Section title={t(work.kind === 'text' ? 'routines.message' : 'routines.procedure')}>
        {work.kind === 'text' ? (
          <Panel className="px-4 py-3">
            <p className="break-words whitespace-pre-wrap">{work.text}</p>
          </Panel>
        ) : (
          <ProcedurePart routine={routine} work={work} />
        )}
        <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
          {factsOf(routine).map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ))}
        </dl>
        <details className="mt-3 text-sm">
          <summary className="cursor-pointer">{t('routines.scope')}</summary>
          <ul className="mt-1 font-mono text-xs break-all">
            {scope.map((subject) => (
              <li key={subject}>{subject}</li>
            ))}
          </ul>
        </details>
      </Section>
      <HooksPart routine={routine} />
      <FiresList routineId={routine_id} />
    </div>
  )
}

function factsOf({ overlap, catch_up_s, run_limit_s, token_budget, call_budget, card_life_s, ...routine }: Routine) {
  const { work } = routine
  const facts: [string, ReactNode][] = [
    [t('routines.overlap'), t(`routines.overlap_${overlap}`)],
    [t('routines.catch_up'), catch_up_s === 0 ? t('routines.not_at_all') : formatDuration(catch_up_s * 1000)],
    [t('routines.run_limit'), formatDuration(run_limit_s * 1000)],
    [t('routines.card_life'), formatDuration(card_life_s * 1000)],
  ]
  if (work.kind === 'text' && work.engine !== null)
    facts.unshift([t('chat.run_engine'), <EngineName key="engine" choice={work.engine} />])
  if (routine.report) facts.push([t('routines.at_end'), t('routines.open_report')])
  if (token_budget !== null) facts.push([t('routines.token_budget'), formatNumber(token_budget)])
  if (call_budget !== null) facts.push([t('routines.call_budget'), formatNumber(call_budget)])
  if (routine.failures > 0) facts.push([t('routines.failures'), formatNumber(routine.failures)])
  return facts
}
