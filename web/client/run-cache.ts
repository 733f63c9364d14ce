import { useQuery } from '@tanstack/react-query'
import type { ActivityEvent } from '../../contract/chat.ts'
import type { Output } from './api-types.ts'
import { activeRunsQuery } from './queries.ts'
import { queryClient } from './query-client.ts'

export type ActiveRun = Output<'GET /api/chat/runs'>['items'][number]

/** Runs that an event has ended: a response read before the end must not bring them back. */
const ended = new Set<string>()

/** The active run of a conversation; null when there is none. */
export function useActiveRun(conversationId: string | null): ActiveRun | null {
  const runs = useQuery({
    ...activeRunsQuery,
    select: ({ items }) =>
      items.find((run) => run.conversation_id === conversationId && !ended.has(run.run_id)) ?? null,
  })
  return runs.data ?? null
}

/** Adds a run that the server has just accepted from this tab, before the stream reports it. */
export function addRun(conversationId: string, runId: string): void {
  const run = { run_id: runId, conversation_id: conversationId, title: '', started_at: new Date().toISOString() }
  changeRuns((items) =>
    items.some((known) => known.run_id === runId) ? items : [...items, { ...run, status: 'thinking' }],
  )
  void queryClient.invalidateQueries({ queryKey: activeRunsQuery.queryKey })
}

/** Applies an event to the cached runs at once; a new run is read from the server (refresh-on-activity). */
export function applyToRuns({ type, run_id: runId }: ActivityEvent): void {
  if (runId === undefined) return
  if (type === 'run.waiting') changeRuns((items) => withStatus(items, runId, 'waiting_approval'))
  else if (type === 'tool.started') changeRuns((items) => withStatus(items, runId, 'acting'))
  else if (/^run\.(completed|failed|cancelled|interrupted)$/.test(type)) {
    ended.add(runId)
    changeRuns((items) => items.filter((run) => run.run_id !== runId))
  }
}

function withStatus(items: readonly ActiveRun[], runId: string, status: ActiveRun['status']): readonly ActiveRun[] {
  return items.map((run) => (run.run_id === runId ? { ...run, status } : run))
}

function changeRuns(change: (items: readonly ActiveRun[]) => readonly ActiveRun[]): void {
  queryClient.setQueryData(activeRunsQuery.queryKey, (data) => data && { ...data, items: [...change(data.items)] })
}
