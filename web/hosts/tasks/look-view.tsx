import { useQuery } from '@tanstack/react-query'
import { MessageSquare, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { useToMessageBox } from '../../chat/composer/use-to-message-box.ts'
import { ApiError } from '../../client/api-error.ts'
import { explainError } from '../../client/explain-error.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { t } from '../../text/i18n.ts'
import type { Host } from '../hosts-query.ts'
import { callLine, type Look, lookQuery, type ToolArguments } from './look-query.ts'

interface LookViewProps {
  readonly host: Host
  readonly tool: string
  readonly args?: ToolArguments
  /** Beside the button that asks again. */
  readonly actions?: ReactNode
  readonly children: (look: Look) => ReactNode
}

/** What a tool says of a machine, or why it says nothing and what can be done about it. */
export function LookView({ host, tool, args = {}, actions, children }: LookViewProps) {
  const query = useQuery(lookQuery(host, tool, args))
  const { data, error, isFetching } = query
  const again = (
    <IconButton
      label={t('hosts.look_again')}
      icon={RotateCw}
      disabled={isFetching}
      onClick={() => void query.refetch()}
    />
  )
  return (
    <div className="space-y-3" aria-busy={isFetching}>
      <div className="flex flex-wrap items-center gap-2">
        <p className="text-muted min-w-0 flex-1 basis-60 text-sm break-words" role="status">
          {isFetching && data === undefined ? t('hosts.looking') : data?.status === 'done' ? firstLine(data.text) : ''}
        </p>
        {actions}
        {again}
      </div>
      {error !== null ? (
        <Refused host={host} tool={tool} args={args} error={error} onRetry={() => void query.refetch()} />
      ) : data === undefined ? (
        <SkeletonRows rows={8} className="h-9 rounded-md" />
      ) : data.status === 'failed' ? (
        <Notice tone="warn" title={t('hosts.look_failed', { name: host.name })}>
          <p className="break-words whitespace-pre-wrap">{data.text}</p>
        </Notice>
      ) : (
        children(data)
      )}
    </div>
  )
}

/** What a tool says about its tables; behind it they follow as text, for engines. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

interface RefusedProps {
  readonly host: Host
  readonly tool: string
  readonly args: ToolArguments
  readonly error: unknown
  onRetry(): void
}

/** A rule denies it, or asks, which only a conversation can. */
function Refused({ host, tool, args, error, onRetry }: RefusedProps) {
  const toMessageBox = useToMessageBox()
  const code = error instanceof ApiError ? error.code : null
  if (code === 'approval_required')
    return (
      <Notice
        tone="info"
        title={t('hosts.look_asks')}
        actions={
          <Button
            size="sm"
            icon={MessageSquare}
            onClick={() => toMessageBox({ text: callLine(host, tool, args), target: 'new', send: false })}
          >
            {t('hosts.look_in_conversation')}
          </Button>
        }
      >
        {detailOf(error)}
      </Notice>
    )
  if (code === 'forbidden')
    return (
      <Notice tone="neutral" title={t('hosts.look_denied')}>
        {detailOf(error)}
      </Notice>
    )
  return <ErrorNotice title={t('hosts.look_failed', { name: host.name })} error={error} onRetry={onRetry} />
}

/** The rule's own reason, which says more than the code. */
function detailOf(error: unknown): string {
  return error instanceof ApiError && error.detail !== '' ? error.detail : explainError(error)
}
