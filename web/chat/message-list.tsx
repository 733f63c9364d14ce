import { ArrowDown } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { ApprovalCard } from '../parts/approval-card.tsx'
import { t } from '../i18n.ts'
import { AssistantMessage } from './assistant-message.tsx'
import type { ConversationState } from './conversation-state.ts'
import { PersonMessage } from './person-message.tsx'
import { useScrollPosition } from './use-scroll-position.ts'
import type { Outgoing } from './use-send.ts'
import type { Message } from '../../contract/chat.ts'

interface MessageListProps {
  readonly state: ConversationState
  /** A message that the conversation does not show yet. */
  readonly outgoing: Outgoing | null
  loadOlder(): Promise<void>
  onContinue(): void
}

/** The messages of a conversation, oldest first, in a column that follows its end while the reader is there. */
export function MessageList({ state, outgoing, loadOlder, onContinue }: MessageListProps) {
  const { messages, nextBefore } = state
  const scroll = useScrollPosition(messages[0]?.message_id, state.activeRun !== null, loadOlder)
  const last = messages.at(-1)
  const loose = state.approvals.filter((approval) => !messages.some((message) => holds(message, approval.approval_id)))
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroll.container}
        onScroll={scroll.onScroll}
        className="h-full overflow-y-auto [overflow-anchor:none]"
        tabIndex={0}
        role="log"
        aria-label={t('chat.messages')}
        aria-live="off"
      >
        <div ref={scroll.content} className="mx-auto w-full max-w-3xl space-y-6 px-4 py-6 sm:px-6">
          {nextBefore !== null && (
            <div ref={scroll.sentinel} className="flex justify-center">
              <Button variant="ghost" size="sm" onClick={() => void loadOlder()}>
                {t('chat.load_older')}
              </Button>
            </div>
          )}
          {messages.map((message) =>
            message.role === 'user' ? (
              <PersonMessage key={message.message_id} text={textOf(message)} files={filesOf(message)} />
            ) : (
              <AssistantMessage
                key={message.message_id}
                message={message}
                progress={state.progress}
                onContinue={message === last && state.activeRun === null && outgoing === null ? onContinue : null}
              />
            ),
          )}
          {outgoing && <PersonMessage text={outgoing.text} files={outgoing.files} sending={outgoing.runId === null} />}
          {loose.map((approval) => (
            <ApprovalCard key={approval.approval_id} approval={approval} />
          ))}
        </div>
      </div>
      {!scroll.atEnd && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button
            icon={ArrowDown}
            size="sm"
            onClick={scroll.toEnd}
            className="pointer-events-auto animate-in shadow-md"
          >
            {t('chat.to_newest')}
          </Button>
        </div>
      )}
    </div>
  )
}

function textOf(message: Message): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

function filesOf(message: Message) {
  return message.parts.flatMap((part) => (part.type === 'file' ? [part.file] : []))
}

function holds(message: Message, approvalId: string): boolean {
  return message.parts.some((part) => part.type === 'tool_call' && part.approval?.approval_id === approvalId)
}
