import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Square } from 'lucide-react'
import { call } from '../api.ts'
import type { Output } from '../api-types.ts'
import { explainError } from '../explain-error.ts'
import { t } from '../i18n.ts'
import { Button } from '../parts/button.tsx'
import { Panel } from '../parts/panel.tsx'
import { QueryView } from '../parts/query-view.tsx'
import { RelativeTime } from '../parts/relative-time.tsx'
import { RunState } from '../parts/run-state.tsx'
import { Section } from '../parts/section.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { toast } from '../parts/toast.tsx'
import { activeRunsQuery } from '../queries.ts'

type ActiveRun = Output<'GET /api/chat/runs'>['items'][number]

interface ActiveRunsProps {
  /** How many runs of everybody there are, for administrators; null for everybody else. */
  readonly others: number | null
}

/** What the assistant is working on now, each with a way to stop it. */
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
            <Panel className="text-muted px-4 py-3.5">{t('dashboard.runs_empty')}</Panel>
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
