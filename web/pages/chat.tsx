import { useMutation, useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { PanelLeft, SquarePen } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { call } from '../client/api.ts'
import { conversationTitleQuery } from '../client/queries.ts'
import { ConversationList } from '../chat/list/conversation-list.tsx'
import { ConversationSkeleton } from '../chat/thread/conversation-skeleton.tsx'
import { ConversationView } from '../chat/thread/conversation-view.tsx'
import { messageListPart } from '../chat/thread/message-list-part.ts'
import { useConversation } from '../chat/thread/use-conversation.ts'
import { useMessageTarget } from '../chat/thread/use-message-target.ts'
import { useNeighbourKeys } from '../chat/list/use-neighbour-keys.ts'
import { t } from '../text/i18n.ts'
import { Dialog } from '../parts/layout/dialog.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { Page } from '../parts/layout/page.tsx'

/** `/chat`: the conversation list next to the open conversation. */
export function ChatPage() {
  const search = useSearch({ from: '/app/chat' })
  const navigate = useNavigate()
  const conversationId = search.c ?? null
  const [drawer, setDrawer] = useState(false)
  const conversation = useConversation(conversationId)
  useOpen(conversationId)
  // While the messages themselves are on their way, and before the first is sent.
  useEffect(() => void messageListPart.load().catch(() => undefined), [])
  // The target is removed from the address once shown, so that it can be chosen again.
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
  const { data: named } = useQuery(conversationTitleQuery(conversationId))
  const title = named ?? t(conversationId === null ? 'chat.new' : 'nav.chat')
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

/** `/chat` alone means the chat session's current conversation: finds out which one that is. */
function CurrentConversation() {
  const current = useQuery({
    queryKey: ['current-conversation'],
    queryFn: async ({ signal }) =>
      (await call('GET /api/chat/history', { query: { limit: 1 }, signal })).conversation_id,
    // A different conversation may be current next time.
    gcTime: 0,
    retry: false,
    networkMode: 'always',
  })
  if (current.isError) {
    return (
      <div className="mx-auto w-full max-w-3xl p-6">
        <ErrorNotice title={t('chat.load_failed')} error={current.error} onRetry={() => void current.refetch()} />
      </div>
    )
  }
  const { data: id } = current
  return (
    <>
      <ConversationSkeleton />
      {id !== undefined && <Navigate to="/chat" search={id === null ? { new: true } : { c: id }} replace />}
    </>
  )
}

/**
 * Makes the shown conversation the current one. The server refuses while a run is active in the current one, which is
 * fine here.
 */
function useOpen(conversationId: string | null): void {
  const { mutate } = useMutation({
    mutationFn: (conversation_id: string) =>
      call('POST /api/chat/conversations/{conversation_id}/open', { params: { conversation_id } }),
    networkMode: 'always',
  })
  useEffect(() => {
    if (conversationId !== null) mutate(conversationId)
  }, [conversationId, mutate])
}
