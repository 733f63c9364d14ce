import { RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Message } from '../../../contract/chat.ts'
import { CopyButton } from '../../parts/controls/copy-button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { formatDateTime, formatTime } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { AnswerMenu } from './answer-menu.tsx'
import { messageText } from './message-text.ts'

interface MessageFooterProps {
  readonly message: Message
  /** Null while it cannot be regenerated. */
  readonly onRetry: (() => void) | null
  /** The switch between its alternatives. */
  readonly branches: ReactNode
}

/** The footer of an answer: copy, regenerate, what else can be done with it, and its time. */
export function MessageFooter({ message, onRetry, branches }: MessageFooterProps) {
  const text = messageText(message)
  return (
    <footer className="-ms-1.5 flex items-center gap-0.5 text-muted">
      {branches}
      {text !== '' && <CopyButton label={t('chat.copy_answer')} text={text} />}
      {onRetry && <IconButton label={t('chat.retry')} icon={RotateCcw} size="sm" onClick={onRetry} />}
      <AnswerMenu message={message} text={text} />
      <time dateTime={message.created_at} title={formatDateTime(message.created_at)} className="ms-1 text-xs">
        {formatTime(message.created_at)}
      </time>
    </footer>
  )
}
