import { memo } from 'react'
import type { Message } from '../../../contract/chat.ts'
import { AssistantMessage } from '../message/assistant-message.tsx'
import { BranchSwitch } from '../message/branch-switch.tsx'
import { isFinal } from '../message/is-final.ts'
import { EditableMessage } from './editable-message.tsx'
import type { Revision } from './use-revision.ts'

interface MessageRowProps {
  readonly message: Message
  readonly progress: Readonly<Record<string, string>>
  /** Null while a run is active: nothing can be revised then. */
  readonly revision: Revision | null
  readonly onContinue: (() => void) | null
}

/** One message, from the user or the assistant, with its actions and alternatives. */
export const MessageRow = memo(function MessageRow({ message, progress, revision, onContinue }: MessageRowProps) {
  const { siblings, message_id: id } = message
  const branches = siblings.length > 1 && (
    <BranchSwitch siblings={siblings} shown={id} onChoose={revision && ((chosen) => void revision.choose(chosen))} />
  )
  if (message.role === 'user') return <EditableMessage message={message} revision={revision} branches={branches} />
  return (
    <AssistantMessage
      message={message}
      progress={progress}
      onContinue={onContinue}
      onRetry={revision && isFinal(message) ? () => void revision.retry(id) : null}
      branches={branches}
    />
  )
})
