import { CalendarClock, Info, LetterText, RotateCcw } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Message } from '../../../contract/chat.ts'
import { formatDateTime, formatTime } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { CopyButton } from '../../parts/controls/copy-button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { markdownAsText } from '../markdown/plain-text.ts'
import { makeRoutine } from './make-routine.ts'
import { messageText } from './message-text.ts'
import { SaveReport } from './save-report.tsx'

const MakeProcedure = lazy(async () => ({
  default: (await import('../../procedures/make-procedure.tsx')).MakeProcedure,
}))
const RunDialog = lazy(async () => ({ default: (await import('./run-dialog.tsx')).RunDialog }))

interface MessageFooterProps {
  readonly message: Message
  /** Null while it cannot be regenerated. */
  readonly onRetry: (() => void) | null
  /** The switch between its alternatives. */
  readonly branches: ReactNode
}

/** The footer of an answer: copy, regenerate, save as a report, what the model saw, and its time. */
export function MessageFooter({ message, onRetry, branches }: MessageFooterProps) {
  const [open, setOpen] = useState(false)
  const text = messageText(message)
  const hasCalls = message.parts.some((part) => part.type === 'tool_call' && part.tool_call.status === 'done')
  return (
    <footer className="-ms-1.5 flex items-center gap-0.5 text-muted">
      {branches}
      {text !== '' && (
        <>
          <CopyButton label={t('chat.copy_answer')} text={text} />
          <CopyButton label={t('chat.copy_text')} text={() => markdownAsText(text)} icon={LetterText} />
        </>
      )}
      {onRetry && <IconButton label={t('chat.retry')} icon={RotateCcw} size="sm" onClick={onRetry} />}
      {message.run_id !== null && (text !== '' || message.parts.some(({ type }) => type === 'table')) && (
        <SaveReport runId={message.run_id} />
      )}
      {message.run_id !== null && message.status === 'complete' && !message.imported && (
        <IconButton
          label={t('routines.every')}
          icon={CalendarClock}
          size="sm"
          onClick={() => void makeRoutine(message)}
        />
      )}
      {message.run_id !== null && hasCalls && message.status !== 'streaming' && (
        <Suspense>
          <MakeProcedure runId={message.run_id} />
        </Suspense>
      )}
      {message.run_id !== null && (
        <IconButton label={t('chat.run_details')} icon={Info} size="sm" onClick={() => setOpen(true)} />
      )}
      <time dateTime={message.created_at} title={formatDateTime(message.created_at)} className="ms-1 text-xs">
        {formatTime(message.created_at)}
      </time>
      {open && message.run_id !== null && (
        <Suspense>
          <RunDialog runId={message.run_id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </footer>
  )
}
