import { ChevronRight } from 'lucide-react'
import { lazy, Suspense, type ReactNode } from 'react'
import type { ToolCall } from '../../../contract/chat.ts'
import { argumentsInShort } from '../../approvals/main-argument.ts'
import { DecidedBy } from '../../approvals/decided-by.tsx'
import { classNames } from '../../parts/class-names.ts'
import { ToolPicture } from '../../parts/feedback/picture.tsx'
import { ToolStatus } from '../../parts/feedback/tool-status.tsx'
import { formatDuration } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import type { WorkCall } from './blocks.ts'
import { CallDetails } from './call-details.tsx'

const CallVerified = lazy(async () => ({ default: (await import('./call-verified.tsx')).CallVerified }))

interface CallRowProps {
  readonly call: WorkCall
  /** Latest progress line of the running tool. */
  readonly progress: string | undefined
  readonly open: boolean
  readonly pinned: boolean
  onOpen(open: boolean): void
}

/** A call in one line: its state, title, arguments in short and time; everything else opens below. */
export function CallRow({ call, progress, open, pinned, onOpen }: CallRowProps) {
  const { tool_call: toolCall, approval } = call.part
  const { status } = toolCall
  return (
    <>
      <h3>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => onOpen(!open)}
          className="flex min-h-9 w-full items-center gap-2 rounded-lg px-2.5 py-1.5 text-start hover:bg-hover focus-visible:-outline-offset-2"
        >
          <ToolStatus status={status} iconOnly={status === 'done' || status === 'running'} className="shrink-0" />
          <ToolPicture icon={toolCall.icon} />
          <span className="min-w-0 shrink-0 max-w-[60%] truncate font-medium">{toolCall.title}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">{argumentsInShort(toolCall)}</span>
          {toolCall.duration_ms !== null && (
            <span className="shrink-0 text-xs text-muted tabular-nums">{formatDuration(toolCall.duration_ms)}</span>
          )}
          <Chevron open={open} />
        </button>
      </h3>
      {status === 'running' && progress !== undefined && <Line>{progress}</Line>}
      {status === 'unknown' && <Line>{t('chat.tool_unknown')}</Line>}
      {approval !== null && approval.status !== 'pending' && (
        <Line>
          <DecidedBy approval={approval} />
        </Line>
      )}
      {!open && failureOf(toolCall, approval !== null) !== '' && <Line>{failureOf(toolCall, approval !== null)}</Line>}
      {toolCall.verified !== undefined && (
        <Suspense>
          <CallVerified verified={toolCall.verified} />
        </Suspense>
      )}
      {open && <CallDetails call={call} pinned={pinned} />}
    </>
  )
}

export function Chevron({ open }: { readonly open: boolean }) {
  return (
    <ChevronRight
      aria-hidden
      className={classNames('size-4 shrink-0 text-muted transition-transform duration-100', open && 'rotate-90')}
    />
  )
}

function Line({ children }: { readonly children: ReactNode }) {
  return <p className="ps-8 pe-3 pb-2 text-sm break-words text-muted">{children}</p>
}

/** Why a call did not work, in a line. Where a person has denied it, their decision says it. */
function failureOf({ status, result_preview: result }: ToolCall, decided: boolean): string {
  if (result === null || (status !== 'failed' && (status !== 'denied' || decided))) return ''
  return result.trim().split('\n', 1)[0] ?? ''
}
