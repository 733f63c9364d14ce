import { Info } from 'lucide-react'
import { useState } from 'react'
import type { Message } from '../../contract/chat.ts'
import { formatDateTime, formatTime } from '../format.ts'
import { t } from '../i18n.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { RunDialog } from './run-dialog.tsx'

/** Below an answer: copy it, see what the model saw, when it was. */
export function MessageFooter({ message }: { readonly message: Message }) {
  const [open, setOpen] = useState(false)
  const text = answerText(message)
  return (
    <footer className="-ms-1.5 flex items-center gap-0.5 text-muted">
      {text !== '' && <CopyButton label={t('chat.copy_answer')} text={text} />}
      {message.run_id !== null && (
        <IconButton label={t('chat.run_details')} icon={Info} size="sm" onClick={() => setOpen(true)} />
      )}
      <time dateTime={message.created_at} title={formatDateTime(message.created_at)} className="ms-1 text-xs">
        {formatTime(message.created_at)}
      </time>
      {open && message.run_id !== null && <RunDialog runId={message.run_id} onClose={() => setOpen(false)} />}
    </footer>
  )
}

function answerText(message: Message): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}
