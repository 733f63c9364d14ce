import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Square } from 'lucide-react'
import type { ActiveRun } from '../client/run-cache.ts'
import { call } from '../client/api.ts'
import { explainError } from '../client/explain-error.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { RunState } from '../parts/feedback/run-state.tsx'
import { Section } from '../parts/layout/section.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { toast } from '../parts/feedback/toast.tsx'
import { activeRunsQuery } from '../client/queries.ts'

interface ActiveRunsProps {
  /** Number of active runs of all users, for administrators; null for everyone else. */
  readonly others: number | null
}

/** The user's active runs, each with a stop button. */
export function ActiveRuns({ others }: ActiveRunsProps) {
  const query = useQuery(activeRunsQuery)
  return (
    <Section
      title={t('dashboard.runs')}
      actions={
        others !== null && (
          <Link
            to="/admin/$page"
            params={{ page: 'runs' }}
            className="text-accent font-medium underline-offset-2 hover:underline"
          >
            {t('dashboard.runs_all', { count: others })}
          </Link>
        )
      }
    >
      <QueryView query={query} failed={t('dashboard.runs_failed')} loading={<SkeletonRows rows={1} className="h-14" />}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">{t('dashboard.runs_empty')}</p>
          ) : (
            <Panel>
              <ul className="divide-line divide-y">
                {items.map((run) => (
                  <RunRow key={run.run_id} run={run} />
                ))}
              </ul>
            </Panel>
          )
        }
      </QueryView>
    </Section>
  )
}

function RunRow({ run }: { run: ActiveRun }) {
  const queryClient = useQueryClient()
  const stop = useMutation({
    mutationFn: () => call('POST /api/chat/cancel', { body: { conversation_id: run.conversation_id } }),
    onSuccess: (answer) =>
      answer.warning === null
        ? toast({ text: t('dashboard.stopped'), tone: 'ok' })
        : toast({ text: answer.warning, tone: 'warn', duration: 15_000 }),
    onError: (error) => toast({ text: `${t('dashboard.stop_failed')}. ${explainError(error)}`, tone: 'danger' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['runs'] }),
  })
  return (
    <li className="flex items-center gap-3 py-2 pr-3 pl-4">
      <div className="min-w-0 flex-1">
        <Link
          to="/chat"
          search={{ c: run.conversation_id }}
          className="block truncate font-medium underline-offset-2 hover:underline"
        >
          {run.title === '' ? t('dashboard.untitled') : run.title}
        </Link>
        <span className="text-muted flex flex-wrap gap-x-3 text-sm">
          <RunState status={run.status} />
          <RelativeTime at={run.started_at} />
        </span>
      </div>
      <Button size="sm" icon={Square} busy={stop.isPending} onClick={() => stop.mutate()}>
        {t('dashboard.stop')}
      </Button>
    </li>
  )
}
