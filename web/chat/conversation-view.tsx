import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../i18n.ts'
import { explainError } from '../explain-error.ts'
import { call } from '../api.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { toast } from '../parts/toast.tsx'
import { Trash2 } from 'lucide-react'
import { Composer } from './composer.tsx'
import { ConversationSkeleton } from './conversation-skeleton.tsx'
import { EmptyConversation } from './empty-conversation.tsx'
import { newIdempotencyKey } from './idempotency-key.ts'
import { MessageList } from './message-list.tsx'
import { useAnnouncements } from './use-announcements.ts'
import type { Conversation } from './use-conversation.ts'
import { useDraft } from './use-draft.ts'
import { mayHaveStarted, useSend } from './use-send.ts'

interface ConversationViewProps {
  readonly conversation: Conversation
  /** A message made this conversation (or went into it): show it. */
  onStarted(conversationId: string): void
}

/** One conversation: its messages and the box to go on with it. */
export function ConversationView({ conversation, onStarted }: ConversationViewProps) {
  const { state, loadOlder, reload, started } = conversation
  const { conversationId, activeRun } = state
  const draft = useDraft(conversationId)
  const sending = useSend()
  const [focusRequest, setFocusRequest] = useState(0)
  const shownId = useRef(conversationId)
  const { moved } = sending
  useLayoutEffect(() => {
    shownId.current = conversationId
    moved(conversationId)
  }, [conversationId, moved])
  useAnnouncements(state)
  useStopKey(activeRun === null ? null : conversationId)

  const go = async (text: string, ownDraft: boolean): Promise<void> => {
    const files = ownDraft ? draft.draft.files : []
    const key = (ownDraft ? draft.draft.key : null) ?? newIdempotencyKey()
    if (ownDraft) draft.change({ key })
    const accepted = await sending.send({ conversationId, text, files, key })
    if (!accepted) return
    if (ownDraft) draft.clear(conversationId)
    if (accepted.run_id !== null) started(accepted.conversation_id, accepted.run_id)
    // Who has gone elsewhere meanwhile is not called back.
    if (shownId.current === conversationId) onStarted(accepted.conversation_id)
  }
  // After an answer that is final (refused), the next attempt is another request.
  const { error } = sending
  const { change } = draft
  useEffect(() => {
    if (error !== null && !mayHaveStarted(error)) change({ key: null })
  }, [error, change])

  const { outgoing } = sending
  const here = outgoing && (outgoing.conversationId === conversationId || outgoing.origin === conversationId)
  const arrived = outgoing?.runId != null && state.messages.some((message) => message.run_id === outgoing.runId)
  const shown = here && !arrived ? outgoing : null
  const empty = state.phase === 'empty' || (state.phase === 'ready' && state.messages.length === 0)
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
          <EmptyConversation
            onTry={(text) => {
              draft.change({ text })
              setFocusRequest(focusRequest + 1)
            }}
          />
        </div>
      )}
      {((state.phase === 'ready' && !empty) || (shown && state.phase !== 'failed')) && (
        <MessageList
          key={conversationId}
          state={state}
          outgoing={shown}
          loadOlder={loadOlder}
          onContinue={() => void go(t('chat.continue_text'), false)}
        />
      )}
      <Composer
        conversationId={conversationId}
        draft={draft}
        focusRequest={focusRequest}
        run={run}
        sending={outgoing !== null && outgoing.runId === null}
        error={error}
        onSend={() => void go(draft.draft.text, true)}
        onStop={() => void stop(conversationId)}
      />
    </div>
  )
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

/** Ctrl or Cmd with `.` stops the run that is shown, wherever the focus is. */
function useStopKey(conversationId: string | null): void {
  useEffect(() => {
    if (conversationId === null) return undefined
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== '.' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      void stop(conversationId)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [conversationId])
}
