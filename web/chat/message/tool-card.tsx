import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ToolCall } from '../../../contract/chat.ts'
import { classNames } from '../../parts/class-names.ts'
import { formatDuration } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { ArgumentsList } from '../../parts/layout/arguments-list.tsx'
import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { EffectBadge } from '../../parts/feedback/effect-badge.tsx'
import { ToolStatus } from '../../parts/feedback/tool-status.tsx'

interface ToolCardProps {
  readonly toolCall: ToolCall
  /** Latest progress line of the running tool. */
  readonly progress: string | undefined
}

/** A tool call: one line with its state; arguments and result are one click away. */
export function ToolCard({ toolCall, progress }: ToolCardProps) {
  const [open, setOpen] = useState(false)
  const { status } = toolCall
  return (
    <div
      className={classNames(
        'rounded-lg border bg-surface',
        status === 'unknown' ? 'border-warn/40' : status === 'failed' ? 'border-danger/30' : 'border-line',
      )}
    >
      <h3>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-h-9 w-full items-center gap-2 rounded-lg px-2.5 py-1.5 text-start hover:bg-hover"
        >
          <ToolStatus status={status} iconOnly={status === 'done'} className="shrink-0" />
          <span className="min-w-0 truncate font-medium">{toolCall.title}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-xs text-muted">{gist(toolCall)}</span>
          {toolCall.duration_ms !== null && (
            <span className="shrink-0 text-xs text-muted tabular-nums">{formatDuration(toolCall.duration_ms)}</span>
          )}
          <ChevronRight
            aria-hidden
            className={classNames('size-4 shrink-0 text-muted transition-transform duration-100', open && 'rotate-90')}
          />
        </button>
      </h3>
      {status === 'running' && progress !== undefined && <Line>{progress}</Line>}
      {status === 'unknown' && <Line>{t('chat.tool_unknown')}</Line>}
      {status === 'denied' && !open && toolCall.result_preview !== null && <Line>{toolCall.result_preview}</Line>}
      {status === 'failed' && !open && toolCall.result_preview !== null && (
        <Line>{firstLine(toolCall.result_preview)}</Line>
      )}
      {open && <ToolDetails toolCall={toolCall} />}
    </div>
  )
}

function Line({ children }: { readonly children: ReactNode }) {
  return <p className="border-t border-line px-3 py-2 text-sm break-words text-muted">{children}</p>
}

function ToolDetails({ toolCall }: { readonly toolCall: ToolCall }) {
  return (
    <div className="animate-fade space-y-3 border-t border-line p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <code className="text-sm break-all">{`${toolCall.module}.${toolCall.tool}`}</code>
        <EffectBadge effect={toolCall.effect} />
      </div>
      <div>
        <h4 className="mb-1.5 text-sm font-medium">{t('chat.tool_arguments')}</h4>
        <ArgumentsList arguments={toolCall.arguments} />
      </div>
      {toolCall.result_preview !== null && (
        <div>
          <h4 className="mb-1.5 text-sm font-medium">
            {t(toolCall.status === 'failed' ? 'chat.tool_error' : 'chat.tool_result')}
          </h4>
          <CodeBlock code={toolCall.result_preview} wrap />
          {toolCall.result_preview.length >= 2000 && (
            <p className="mt-1.5 text-sm text-muted">{t('chat.tool_result_cut')}</p>
          )}
        </div>
      )}
    </div>
  )
}

/** The arguments in one line, to distinguish two calls of a tool. */
function gist(toolCall: ToolCall): string {
  return Object.entries(toolCall.arguments)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
    .slice(0, 200)
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? ''
}
