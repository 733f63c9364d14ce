import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { RunStatus } from '../../contract/chat.ts'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { RunState } from '../parts/feedback/run-state.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { procedureRunsQuery } from './procedures-query.ts'

/** Who ran it, when and how it ended; a run of one's own leads to its conversation. */
export function RunHistory({ procedureId }: { readonly procedureId: string }) {
  const query = useQuery(procedureRunsQuery(procedureId))
  return (
    <Section title={t('procedures.history')}>
      <QueryView
        query={query}
        failed={t('procedures.history_failed')}
        loading={<SkeletonRows rows={2} className="h-11" />}
      >
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">{t('procedures.never_ran')}</p>
          ) : (
            <Panel>
              <ul className="divide-line divide-y">
                {items.map((run) => (
                  <li
                    key={run.run_id}
                    className="hover:bg-hover relative flex flex-wrap items-center gap-x-4 gap-y-0.5 px-4 py-2"
                  >
                    <RunState status={run.status as RunStatus} />
                    <span className="min-w-32 flex-1 break-words">
                      {run.own === null ? (
                        run.person.display_name
                      ) : (
                        <Link
                          to="/chat"
                          search={{ c: run.own.conversation_id }}
                          className="font-medium before:absolute before:inset-0 focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:-outline-offset-2"
                        >
                          {Object.values(run.own.values).map(String).join(', ') || run.person.display_name}
                        </Link>
                      )}
                    </span>
                    <span className="text-muted text-sm">
                      {t('procedures.version', { version: run.version })} ·{' '}
                      {t('procedures.steps_done', { count: run.steps_done })} · <RelativeTime at={run.started_at} />
                    </span>
                    {run.unknown_step !== null && (
                      <span className="text-danger text-sm">
                        {t('procedures.step_unknown', { step: run.unknown_step })}
                      </span>
                    )}
                  </li>
                ))}
              </ul>
            </Panel>
          )
        }
      </QueryView>
    </Section>
  )
}
