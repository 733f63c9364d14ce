import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { OctagonX } from 'lucide-react'
import { useState } from 'react'
import type { LiveRun } from '../../../contract/runs-admin.ts'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { RunHistory } from '../../admin/runs/run-history.tsx'
import { RunRow } from '../../admin/runs/run-row.tsx'
import { liveRunsQuery, type RunSearch } from '../../admin/runs/runs-query.ts'
import { SwitchDialog, type SwitchTarget } from '../../admin/runs/switch-dialog.tsx'
import { SwitchedOff } from '../../admin/runs/switched-off.tsx'
import { AllRoutines } from '../../routines/all-routines.tsx'

const route = getRouteApi('/app/admin/$page')

/** Runs of all users: the active ones, with stop buttons, then those that ended; and switched-off tools. */
export function RunsPage() {
  const query = useQuery(liveRunsQuery)
  const search: RunSearch = route.useSearch()
  const navigate = route.useNavigate()
  const onSearch = (next: RunSearch): void =>
    void navigate({
      replace: true,
      search: Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined && value !== '')),
    })
  const [asking, setAsking] = useState(false)
  const [target, setTarget] = useState<SwitchTarget | null>(null)
  const queryClient = useQueryClient()
  const stop = useMutation({
    mutationFn: (run_id: string | null) =>
      run_id === null
        ? call('POST /api/admin/runs/stop')
        : call('POST /api/admin/runs/{run_id}/stop', { params: { run_id } }),
    onSuccess: ({ cancelled_count: count, warning }) =>
      warning === null
        ? toast({ text: t('runs.stopped', { count }), tone: 'ok' })
        : toast({ text: warning, tone: 'warn', duration: 15_000 }),
    onError: (error) => toast({ text: `${t('runs.stop_failed')}. ${explainError(error)}`, tone: 'danger' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: liveRunsQuery.queryKey }),
  })
  const total = query.data?.total ?? 0
  return (
    <Page
      title={t('admin.runs')}
      actions={
        total > 0 && (
          <Button
            icon={OctagonX}
            aria-label={t('runs.stop_all')}
            busy={stop.isPending && stop.variables === null}
            onClick={() => setAsking(true)}
          >
            <span className="max-sm:hidden">{t('runs.stop_all')}</span>
          </Button>
        )
      }
    >
      <div className="space-y-8">
        <Section title={t('runs.now', { count: total })}>
          <QueryView
            query={query}
            failed={t('runs.load_failed')}
            loading={<SkeletonRows rows={3} className="h-16 rounded-lg" />}
          >
            {({ items }) => (
              <>
                <RunList
                  items={items}
                  stopping={stop.isPending ? (stop.variables ?? null) : null}
                  onStop={(run_id) => stop.mutate(run_id)}
                  onSwitchOff={setTarget}
                />
                {total > items.length && (
                  <p className="text-muted mt-2 text-sm">{t('runs.more', { shown: items.length, total })}</p>
                )}
              </>
            )}
          </QueryView>
        </Section>
        <RunHistory search={search} onSearch={onSearch} />
        <AllRoutines />
        <SwitchedOff onSwitchOff={() => setTarget({ module: null, tool: null })} />
      </div>
      {asking && (
        <ConfirmDialog
          title={t('runs.stop_all_title', { count: total })}
          text={t('runs.stop_all_text')}
          verb={t('runs.stop_all')}
          danger
          onConfirm={() => stop.mutate(null)}
          onClose={() => setAsking(false)}
        />
      )}
      {target !== null && <SwitchDialog target={target} onClose={() => setTarget(null)} />}
    </Page>
  )
}

interface RunListProps {
  readonly items: readonly LiveRun[]
  readonly stopping: string | null
  onStop(run_id: string): void
  onSwitchOff(target: SwitchTarget): void
}

function RunList({ items, stopping, onStop, onSwitchOff }: RunListProps) {
  return items.length === 0 ? (
    <p className="text-muted">{t('runs.empty_title')}</p>
  ) : (
    <Panel>
      <ul className="divide-line divide-y">
        {items.map((run) => (
          <RunRow
            key={run.run_id}
            run={run}
            busy={stopping === run.run_id}
            onStop={() => onStop(run.run_id)}
            onSwitchOff={onSwitchOff}
          />
        ))}
      </ul>
    </Panel>
  )
}
