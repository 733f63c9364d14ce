import { useQuery } from '@tanstack/react-query'
import type { Output } from '../../client/api-types.ts'
import { call } from '../../client/api.ts'
import { formatCost } from '../../dashboard/format-cost.ts'
import { formatBytes, formatDuration, formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { RunPrompt } from './run-prompt.tsx'

type Run = Output<'GET /api/chat/runs/{run_id}'>

interface RunDialogProps {
  readonly runId: string
  onClose(): void
}

/** "What the model saw": engine, tokens, cost, how much of each attachment reached it, and the prompt. */
export function RunDialog({ runId, onClose }: RunDialogProps) {
  const run = useQuery({
    queryKey: ['run', runId],
    queryFn: ({ signal }) => call('GET /api/chat/runs/{run_id}', { params: { run_id: runId }, signal }),
  })
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={t('chat.run_details')} size="lg">
      {run.isPending && <SkeletonRows rows={5} className="h-6" />}
      {run.isError && (
        <ErrorNotice title={t('chat.run_failed_to_load')} error={run.error} onRetry={() => void run.refetch()} />
      )}
      {run.data && <RunFacts run={run.data} />}
    </Dialog>
  )
}

function RunFacts({ run }: { readonly run: Run }) {
  const facts: [string, string][] = [
    [
      t('chat.run_engine'),
      run.ai_mode === 'direct' ? t('chat.run_direct') : (run.model ?? t('chat.run_unknown_model')),
    ],
    [t('chat.run_steps'), formatNumber(run.steps)],
  ]
  if (run.ai_mode === 'model') {
    facts.push([
      t('chat.run_tokens'),
      t('chat.run_tokens_value', { input: run.input_tokens, output: run.output_tokens }),
    ])
    facts.push([t('chat.run_cost'), run.cost_micros === null ? t('chat.run_no_price') : formatCost(run.cost_micros)])
  }
  if (run.ended_at !== null) {
    const took = Date.parse(run.ended_at) - Date.parse(run.started_at) - run.waited_ms
    facts.push([t('chat.run_time'), formatDuration(Math.max(0, took))])
  }
  if (run.waited_ms > 0) facts.push([t('chat.run_waited'), formatDuration(run.waited_ms)])
  if (run.error_code !== null) facts.push([t('chat.run_error'), run.error_code])
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <h3 className="mt-5 mb-1.5 font-medium">{t('chat.run_attachments')}</h3>
      {run.attachments.length === 0 ? (
        <p className="text-muted">{t('chat.run_no_attachments')}</p>
      ) : (
        <RunAttachments run={run} />
      )}
      {run.ai_mode === 'model' && <RunPrompt runId={run.run_id} />}
    </>
  )
}

function RunAttachments({ run }: { readonly run: Run }) {
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {run.attachments.map((file) => {
        const seen = run.attachment_context.items.find((item) => item.file_id === file.file_id)
        const parsing = run.file_content_parsing.find((item) => item.file_id === file.file_id)
        return (
          <li key={file.file_id} className="px-3 py-2">
            <p className="flex gap-3">
              <span className="min-w-0 flex-1 truncate font-medium">{file.name}</span>
              <span className="text-muted tabular-nums">{formatBytes(file.size)}</span>
            </p>
            <p className="text-sm text-muted">{seenText(seen)}</p>
            {parsing?.detail !== undefined && <p className="text-sm text-warn">{parsing.detail}</p>}
          </li>
        )
      })}
    </ul>
  )
}

function seenText(seen: Run['attachment_context']['items'][number] | undefined): string {
  if (!seen || seen.as === 'none') return t('chat.seen_none')
  if (seen.as === 'image') return t('chat.seen_image')
  return t(seen.truncated ? 'chat.seen_cut' : 'chat.seen_text', { characters: seen.characters })
}
