import { useNavigate, useSearch } from '@tanstack/react-router'
import { PanelLeft, SquarePen } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { call } from '../api.ts'
import { ConversationList } from '../chat/conversation-list.tsx'
import { ConversationSkeleton } from '../chat/conversation-skeleton.tsx'
import { ConversationView } from '../chat/conversation-view.tsx'
import { useConversation } from '../chat/use-conversation.ts'
import { useMessageTarget } from '../chat/use-message-target.ts'
import { useNeighbourKeys } from '../chat/use-neighbour-keys.ts'
import { t } from '../i18n.ts'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { Page } from '../parts/page.tsx'

/** `/chat`: my conversations beside the one that is open. */
export function ChatPage() {
  const search = useSearch({ from: '/app/chat' })
  const navigate = useNavigate()
  const conversationId = search.c ?? null
  const [drawer, setDrawer] = useState(false)
  const conversation = useConversation(conversationId)
  useOpen(conversationId)
  // Gone to once: what is shown in the address afterwards is the conversation, and another hit can be chosen again.
  const onTargetShown = useCallback(
    () => void navigate({ to: '/chat', search: (before) => ({ ...before, m: undefined }), replace: true }),
    [navigate],
  )
  const target = search.m ?? null
  useMessageTarget(conversation, target, onTargetShown)
  useNeighbourKeys(conversationId)
  const onStarted = useCallback(
    (id: string) => void navigate({ to: '/chat', search: { c: id }, replace: conversationId === null }),
    [navigate, conversationId],
  )
  const unknown = conversationId === null && search.new !== true
  const title = conversation.state.title ?? t(conversationId === null ? 'chat.new' : 'nav.chat')
  return (
    <Page
      fill
      title={title}
      lead={
        <IconButton
          label={t('chat.conversations')}
          icon={PanelLeft}
          className="-ms-2 lg:hidden"
          onClick={() => setDrawer(true)}
        />
      }
      actions={
        <IconButton
          label={t('chat.new')}
          icon={SquarePen}
          className="-me-2 lg:hidden"
          onClick={() => void navigate({ to: '/chat', search: { new: true } })}
        />
      }
    >
      <aside
        aria-label={t('chat.conversations')}
        className="hidden w-72 shrink-0 border-e border-line bg-surface lg:block"
      >
        <ConversationList activeId={conversationId} />
      </aside>
      <Dialog open={drawer} onOpenChange={setDrawer} title={t('chat.conversations')} placement="drawer">
        <div className="-mx-5 h-full">
          <ConversationList activeId={conversationId} onChosen={() => setDrawer(false)} />
        </div>
      </Dialog>
      {unknown ? (
        <CurrentConversation />
      ) : (
        <ConversationView
          conversation={conversation}
          target={target}
          onTargetShown={onTargetShown}
          onStarted={onStarted}
        />
      )}
    </Page>
  )
}

/** `/chat` alone means the current conversation of the chat session: finds out which one that is. */
function CurrentConversation() {
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const abort = new AbortController()
    const find = async (): Promise<void> => {
      const { conversation_id: id } = await call('GET /api/chat/history', { query: { limit: 1 }, signal: abort.signal })
      await navigate({ to: '/chat', search: id === null ? { new: true } : { c: id }, replace: true })
    }
    setError(null)
    find().catch((thrown: unknown) => abort.signal.aborted || setError(thrown))
    return () => abort.abort()
  }, [navigate, attempt])
  if (error !== null) {
    return (
      <div className="mx-auto w-full max-w-3xl p-6">
        <ErrorNotice title={t('chat.load_failed')} error={error} onRetry={() => setAttempt(attempt + 1)} />
      </div>
    )
  }
  return <ConversationSkeleton />
}

/** Makes the shown conversation the current one. It is refused while a run is active in the current one, which is no problem here. */
function useOpen(conversationId: string | null): void {
  useEffect(() => {
    if (conversationId === null) return
    call('POST /api/chat/conversations/{conversation_id}/open', { params: { conversation_id: conversationId } }).catch(
      () => undefined,
    )
  }, [conversationId])
}
