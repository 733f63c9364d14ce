import { Power, Square } from 'lucide-react'
import type { LiveRun } from '../../../contract/runs-admin.ts'
import { formatCost } from '../../dashboard/format-cost.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { RunState } from '../../parts/feedback/run-state.tsx'
import { ToolStatus } from '../../parts/feedback/tool-status.tsx'
import type { SwitchTarget } from './switch-dialog.tsx'

interface RunRowProps {
  readonly run: LiveRun
  readonly busy: boolean
  onStop(): void
  onSwitchOff(target: SwitchTarget): void
}

/** One run: its user, state, start, tools and tokens. Never its content. */
export function RunRow({ run, busy, onStop, onSwitchOff }: RunRowProps) {
  const name = run.display_name || run.username
  const tokens = run.input_tokens + run.output_tokens
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium break-all" title={run.username}>
            {name}
          </span>
          <RunState status={run.status} />
          {run.stopping && <span className="text-warn text-sm">{t('runs.stopping')}</span>}
        </p>
        <p className="text-muted tabular mt-0.5 flex flex-wrap gap-x-3 text-sm">
          <RelativeTime at={run.started_at} />
          <span className="break-all">{run.model ?? t('runs.direct')}</span>
          <span>{t('runs.steps', { count: run.steps })}</span>
          {tokens > 0 && <span>{t('runs.tokens', { amount: formatNumber(tokens) })}</span>}
          {run.cost_micros !== null && run.cost_micros > 0 && (
            <span>{t('runs.cost', { amount: formatCost(run.cost_micros) })}</span>
          )}
        </p>
        {run.calls.length > 0 && (
          <ul className="mt-1.5 space-y-1">
            {run.calls.map((call) => (
              <li key={call.tool_call_id} className="flex flex-wrap items-center gap-x-3 text-sm">
                <code className="break-all">
                  {call.module}.{call.tool}
                </code>
                <span className="inline-flex items-center gap-1">
                  <ToolStatus status={call.status} />
                  <IconButton
                    label={t('runs.switch_off_this', { name: `${call.module}.${call.tool}` })}
                    icon={Power}
                    size="sm"
                    onClick={() => onSwitchOff({ module: call.module, tool: call.tool })}
                  />
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <Button size="sm" icon={Square} busy={busy} disabled={run.stopping} onClick={onStop}>
        {t('runs.stop')}
        <span className="sr-only"> {name}</span>
      </Button>
    </li>
  )
}
