import { Link } from '@tanstack/react-router'
import type { PastRun } from '../../../contract/runs-admin.ts'
import { formatCost } from '../../dashboard/format-cost.ts'
import { formatDateTime, formatDuration, formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { RunState } from '../../parts/feedback/run-state.tsx'

/** One past run on a line: who, what, when, how much. Its title and the way to it are for its owner alone. */
export function PastRunRow({ run }: { readonly run: PastRun }) {
  const tokens = run.input_tokens + run.output_tokens
  const tools = run.tools.join(', ')
  const lasted = run.ended_at === null ? null : Date.parse(run.ended_at) - Date.parse(run.started_at)
  return (
    <li className="grid items-baseline gap-x-4 gap-y-0.5 px-3 py-1.5 md:grid-cols-[11rem_minmax(0,8rem)_minmax(0,1fr)_auto_7rem]">
      <time dateTime={run.started_at} className="text-muted tabular text-sm">
        {formatDateTime(run.started_at)}
      </time>
      <span className="truncate font-medium" title={run.username}>
        {run.display_name || run.username}
      </span>
      <span className="min-w-0 truncate" title={tools}>
        {run.conversation_id === null ? (
          <span className="text-muted">{tools === '' ? t('runs.no_tools') : tools}</span>
        ) : (
          <Link
            to="/chat"
            search={{ c: run.conversation_id }}
            className="text-accent font-medium underline-offset-2 hover:underline"
          >
            {run.title || t('dashboard.untitled')}
          </Link>
        )}
      </span>
      <span className="text-muted tabular flex flex-wrap justify-end gap-x-3 text-sm max-md:justify-start">
        <span className="break-all">{run.model ?? t('runs.direct')}</span>
        <span>{t('runs.steps', { count: run.steps })}</span>
        {tokens > 0 && <span>{t('runs.tokens', { amount: formatNumber(tokens) })}</span>}
        {run.cost_micros !== null && run.cost_micros > 0 && (
          <span>{t('runs.cost', { amount: formatCost(run.cost_micros) })}</span>
        )}
        {lasted !== null && <span>{formatDuration(lasted)}</span>}
      </span>
      <RunState status={run.status} />
    </li>
  )
}
