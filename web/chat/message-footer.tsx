import { Info, RotateCcw } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Message } from '../../contract/chat.ts'
import { formatDateTime, formatTime } from '../format.ts'
import { t } from '../i18n.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { messageText } from './message-text.ts'

const RunDialog = lazy(async () => ({ default: (await import('./run-dialog.tsx')).RunDialog }))

interface MessageFooterProps {
  readonly message: Message
  /** Null while it cannot be answered again. */
  readonly onRetry: (() => void) | null
  /** The way to its alternatives. */
  readonly branches: ReactNode
}

/** Below an answer: copy it, have another one, see what the model saw, when it was. */
export function MessageFooter({ message, onRetry, branches }: MessageFooterProps) {
  const [open, setOpen] = useState(false)
  const text = messageText(message)
  return (
    <footer className="-ms-1.5 flex items-center gap-0.5 text-muted">
      {branches}
      {text !== '' && <CopyButton label={t('chat.copy_answer')} text={text} />}
      {onRetry && <IconButton label={t('chat.retry')} icon={RotateCcw} size="sm" onClick={onRetry} />}
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
