import { ArrowRight, FileUp } from 'lucide-react'
import { memo, type ReactNode, useMemo } from 'react'
import type { Message } from '../../../contract/chat.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { blocksOf } from '../calls/blocks.ts'
import { WorkGroup } from '../calls/work-group.tsx'
import { FailureNotice, failureIn } from './failure-notice.tsx'
import { isFinal } from './is-final.ts'
import { MessageFooter } from './message-footer.tsx'
import { MessagePart } from './message-part.tsx'

interface AssistantMessageProps {
  readonly message: Message
  readonly progress: Readonly<Record<string, string>>
  /** Offered on an answer that was cut off; null when it cannot be continued at the moment. */
  readonly onContinue: (() => void) | null
  /** Null while it cannot be regenerated. */
  readonly onRetry: (() => void) | null
  /** The switch between its alternatives. */
  readonly branches: ReactNode
}

/** Text keeps its measure in the middle of the pane; what is marked as wide may use all of it. */
const ARTICLE =
  'group/message min-w-0 space-y-3 *:mx-auto [&>:not(.sr-only,[data-wide])]:w-full [&>:not(.sr-only,[data-wide])]:max-w-[45rem]!'

/** An answer: its parts in order, what is happening now, and its actions below. */
export const AssistantMessage = memo(function AssistantMessage({
  message,
  progress,
  onContinue,
  onRetry,
  branches,
}: AssistantMessageProps) {
  const blocks = useMemo(() => blocksOf(message.parts), [message.parts])
  const last = message.parts.at(-1)
  const streaming = message.status === 'streaming'
  const failure = failureIn(message)
  const talking =
    last?.type === 'text' ||
    last?.type === 'reasoning' ||
    message.parts.some((part) => part.type === 'tool_call' && part.tool_call.status === 'running')
  return (
    <article aria-label={t('chat.from_assistant')} aria-busy={streaming} className={ARTICLE}>
      <h2 className="sr-only">{t('chat.from_assistant')}</h2>
      {(message.imported || message.handed_over === true) && <ImportedMark message={message} />}
      {blocks.map((block) =>
        // Keyed by message as well: an alternative is mounted from scratch, while the footer keeps the focus.
        block.kind === 'work' ? (
          <WorkGroup
            key={`${message.message_id}.${block.key}`}
            work={block}
            thinking={streaming && last?.type === 'reasoning' && last === block.steps.at(-1)}
            progress={progress}
          />
        ) : failure !== undefined && block.part === failure ? (
          <FailureNotice key={message.message_id} notice={failure.notice} onRetry={onRetry} />
        ) : (
          <MessagePart
            key={`${message.message_id}.${block.key}`}
            part={block.part}
            growing={streaming && block.part === last}
          />
        ),
      )}
      {streaming && !talking && <p className="animate-pulse text-sm text-muted">{t('chat.working')}</p>}
      {message.status === 'failed' && !hasNotice(message) && <Notice tone="danger">{t('chat.failed')}</Notice>}
      {message.status === 'cancelled' && !hasNotice(message) && (
        <p className="text-sm text-muted">{t('chat.stopped')}</p>
      )}
      {message.status === 'interrupted' && onContinue !== null && (
        <ContinueNotice told={hasNotice(message)} onContinue={onContinue} />
      )}
      {isFinal(message) && <MessageFooter message={message} onRetry={onRetry} branches={branches} />}
    </article>
  )
})

/** `told`: a notice in the answer already says what happened. */
function ContinueNotice({ told, onContinue }: { readonly told: boolean; readonly onContinue: () => void }) {
  const button = (
    <Button size="sm" icon={ArrowRight} onClick={onContinue}>
      {t('chat.continue')}
    </Button>
  )
  if (told) return button
  return (
    <Notice tone="warn" actions={button}>
      {t('chat.interrupted')}
    </Notice>
  )
}

/**
 * Marks an imported message: nothing in it happened here. Where it shows tool calls, that is stated explicitly. One that
 * was handed over happened to somebody else.
 */
function ImportedMark({ message }: { readonly message: Message }) {
  const calls = message.parts.some((part) => part.type === 'tool_call')
  return (
    <p className="flex items-center gap-1.5 text-xs text-muted">
      <FileUp aria-hidden className="size-3.5 shrink-0" />
      {message.handed_over === true
        ? t(calls ? 'chat.handed_over_calls' : 'chat.handed_over_message')
        : t(calls ? 'chat.imported_calls' : 'chat.imported_message')}
    </p>
  )
}

function hasNotice(message: Message): boolean {
  return message.parts.some((part) => part.type === 'notice')
}
