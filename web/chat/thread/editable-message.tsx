import { Pencil } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Message } from '../../../contract/chat.ts'
import { SaveAsCommand } from '../../commands/save-as-command.tsx'
import { t } from '../../text/i18n.ts'
import { CopyButton } from '../../parts/controls/copy-button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { MessageEditor } from '../message/message-editor.tsx'
import { messageFacts, messageFiles, messageText } from '../message/message-text.ts'
import { PersonMessage } from '../message/person-message.tsx'
import type { Revision } from './use-revision.ts'

interface EditableMessageProps {
  readonly message: Message
  /** Null while editing is not possible. */
  readonly revision: Revision | null
  readonly branches: ReactNode
}

/** A user's message with its actions; editing adds an alternative and overwrites nothing. */
export function EditableMessage({ message, revision, branches }: EditableMessageProps) {
  const [editing, setEditing] = useState(false)
  const pencil = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // After sending, there is no edit button until the answer has arrived.
    if (wasEditing.current && !editing)
      (pencil.current ?? place.current?.closest<HTMLElement>('[role=log]'))?.focus({ preventScroll: true })
    wasEditing.current = editing
  }, [editing])
  const text = messageText(message)
  const files = messageFiles(message)
  if (editing && revision) {
    return (
      <MessageEditor
        text={text}
        files={files}
        onCancel={() => setEditing(false)}
        onSend={async (changed) => {
          await revision.edit(message.message_id, changed, files)
          setEditing(false)
        }}
      />
    )
  }
  return (
    <div ref={place} className="group/person">
      <PersonMessage text={text} files={files} facts={messageFacts(message)} />
      <div className="mt-1 flex min-h-7 items-center justify-end gap-0.5 text-muted">
        <span className="inline-flex opacity-0 group-focus-within/person:opacity-100 group-hover/person:opacity-100 pointer-coarse:opacity-100">
          {text !== '' && <CopyButton label={t('chat.copy_message')} text={text} />}
          {text !== '' && <SaveAsCommand text={text} />}
          {revision && (
            <IconButton ref={pencil} label={t('chat.edit')} icon={Pencil} size="sm" onClick={() => setEditing(true)} />
          )}
        </span>
        {branches}
      </div>
    </div>
  )
}
