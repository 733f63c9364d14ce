import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../../text/i18n.ts'
import { useShortcut } from '../../shell/keys/use-shortcut.ts'
import { explainError } from '../../client/explain-error.ts'
import { call } from '../../client/api.ts'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { Trash2 } from 'lucide-react'
import { Composer } from '../composer/composer.tsx'
import { ConversationSkeleton } from './conversation-skeleton.tsx'
import type { ConversationState } from './conversation-state.ts'
import type { EmptyConversationProps } from './empty-conversation.tsx'
import { type Draft, draftInstead, emptyDraft, joinTexts } from '../composer/draft.ts'
import { newIdempotencyKey } from '../composer/idempotency-key.ts'
import type { MessageListProps } from './message-list.tsx'
import { messageListPart } from './message-list-part.ts'
import { useAnnouncements } from './use-announcements.ts'
import type { Conversation } from './use-conversation.ts'
import { useDraft } from '../composer/use-draft.ts'
import { later, useLater } from '../../parts/later.ts'
import { useLatest } from '../composer/use-latest.ts'
import type { MessageRequest } from '../composer/message-request.ts'
import { useRequestedMessage } from '../composer/use-requested-message.ts'
import { useRevision } from './use-revision.ts'
import { mayHaveStarted, type Outgoing, useSend } from '../composer/use-send.ts'

interface ConversationViewProps {
  readonly conversation: Conversation
  /** A message to scroll to once it is loaded. */
  readonly target: string | null
  onTargetShown(): void
  /** A message created this conversation or was sent to it: show it. */
  onStarted(conversationId: string): void
}

/** One conversation: its messages and the message box. */
export function ConversationView({ conversation, target, onTargetShown, onStarted }: ConversationViewProps) {
  const { state, activeRun, loadOlder, reload, started, refresh } = conversation
  const { conversationId } = state
  const draft = useDraft(conversationId)
  const sending = useSend()
  const revising = useRevision(conversationId, started, refresh)
  const [focusRequest, setFocusRequest] = useState(0)
  const shownId = useRef(conversationId)
  const { moved } = sending
  useLayoutEffect(() => {
    shownId.current = conversationId
    moved(conversationId)
  }, [conversationId, moved])
  useAnnouncements(conversationId, activeRun !== null)
  useShortcut('stop', () => void stop(conversationId), activeRun !== null)

  const go = async (message: Draft, ownDraft: boolean): Promise<void> => {
    const { text, files } = message
    const key = message.key ?? newIdempotencyKey()
    if (ownDraft) draft.change({ ...message, key })
    const accepted = await sending.send({ conversationId, text, files, key }).catch((thrown: unknown) => {
      // After a definite refusal, the next attempt is a new request.
      if (ownDraft && !mayHaveStarted(thrown)) draft.change({ key: null })
      return null
    })
    if (accepted === null) return
    if (ownDraft) draft.clear(conversationId, accepted.conversation_id)
    if (accepted.run_id !== null) started(accepted.conversation_id, accepted.run_id)
    // Users who have moved elsewhere in the meantime are not pulled back.
    if (shownId.current === conversationId) onStarted(accepted.conversation_id)
  }
  const { outgoing } = sending
  const onWay = outgoing !== null && outgoing.runId === null
  const take = ({ text, send, place }: MessageRequest): void => {
    const before = draft.now()
    if (send) return void go(draftInstead(before, text), true)
    if (place === 'instead') draft.change(draftInstead(before, text))
    else draft.change({ text: place === 'start' ? text + before.text.trimStart() : joinTexts(before.text, text) })
    setFocusRequest(focusRequest + 1)
  }
  useRequestedMessage(state, onWay, useLatest(take))
  const onContinue = useLatest(() => void go({ ...emptyDraft, text: t('chat.continue_text') }, false))
  useArrival(sending, state)
  useArrival(revising, state)
  const shown = [outgoing, revising.outgoing].find((message) => isUnderWay(message, state)) ?? null
  const empty = state.phase === 'empty' || (state.phase === 'ready' && state.messages.length === 0)
  const withMessages = (state.phase === 'ready' && !empty) || (shown !== null && state.phase !== 'failed')
  const run = activeRun === null ? 'none' : activeRun.status === 'waiting_approval' ? 'waiting' : 'active'

  if (state.phase === 'deleted') {
    return <EmptyState icon={Trash2} title={t('chat.gone_title')} text={t('chat.gone_text')} />
  }
  return (
    <div className="flex h-full min-w-0 flex-1 flex-col">
      {state.phase === 'failed' && (
        <div className="mx-auto w-full max-w-3xl flex-1 p-6">
          <ErrorNotice title={t('chat.load_failed')} error={state.error} onRetry={reload} />
        </div>
      )}
      {state.phase === 'loading' && !shown && <ConversationSkeleton />}
      {empty && !shown && (
        <div className="flex flex-1 flex-col justify-center overflow-y-auto">
          <LoadedStart
            onTry={(text) => {
              draft.change(draftInstead(draft.now(), text))
              setFocusRequest(focusRequest + 1)
            }}
          />
        </div>
      )}
      {withMessages && (
        <LoadedMessages
          key={conversationId}
          state={state}
          running={activeRun !== null}
          outgoing={shown}
          loadOlder={loadOlder}
          target={target}
          revision={revising.revision}
          onTargetShown={onTargetShown}
          onContinue={onContinue}
        />
      )}
      {state.handedOver === null ? (
        <Composer
          conversationId={conversationId}
          draft={draft}
          focusRequest={focusRequest}
          run={run}
          sending={onWay}
          error={sending.error}
          onSend={() => void go(draft.now(), true)}
          onStop={() => void stop(conversationId)}
        />
      ) : (
        <LoadedHandedOver {...state.handedOver} />
      )}
    </div>
  )
}

/** It is shown only once the tools are known, so that loading it takes no time of its own. */
const startPart = later(() => import('./empty-conversation.tsx'))

function LoadedStart(props: EmptyConversationProps) {
  const part = useLater(startPart)
  return part && <part.EmptyConversation {...props} />
}

const handedOverPart = later(() => import('../handover/handed-over.tsx'))

function LoadedHandedOver(props: { readonly to: string | null; readonly at: string }) {
  const part = useLater(handedOverPart)
  return part && <part.HandedOver {...props} />
}

function LoadedMessages(props: MessageListProps) {
  const part = useLater(messageListPart)
  return part === null ? <ConversationSkeleton /> : <part.MessageList {...props} />
}

/**
 * Drops a message being sent once the conversation shows it: on another branch it would look as if it were being sent
 * again.
 */
function useArrival(
  { outgoing, arrived }: { readonly outgoing: Outgoing | null; arrived(): void },
  { messages }: ConversationState,
): void {
  const there = outgoing?.runId != null && messages.some((message) => message.run_id === outgoing.runId)
  useEffect(() => {
    if (there) arrived()
  }, [there, arrived])
}

/** Whether a message belongs to this conversation and is not shown by it yet. */
function isUnderWay(message: Outgoing | null, { conversationId, messages }: ConversationState): boolean {
  if (message === null || (message.conversationId !== conversationId && message.origin !== conversationId)) return false
  return message.runId === null || !messages.some(({ run_id: runId }) => runId === message.runId)
}

async function stop(conversationId: string | null): Promise<void> {
  if (conversationId === null) return
  try {
    const { warning } = await call('POST /api/chat/cancel', { body: { conversation_id: conversationId } })
    if (warning !== null) toast({ text: warning, tone: 'warn' })
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
  }
}
