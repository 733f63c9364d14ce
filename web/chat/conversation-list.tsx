import { useNavigate } from '@tanstack/react-router'
import { Search, SquarePen } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { call } from '../api.ts'
import { t } from '../i18n.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { queryClient } from '../query-client.ts'
import { conversationActions } from './conversation-actions.ts'
import { ConversationItem } from './conversation-item.tsx'
import { FolderMenu } from './folder-menu.tsx'
import { NameDialog } from './name-dialog.tsx'
import { type ConversationEntry, useConversationList } from './use-conversation-list.ts'

interface ConversationListProps {
  readonly activeId: string | null
  /** Something was chosen: a drawer closes. */
  onChosen?(): void
}

type Asked = { kind: 'rename'; conversation: ConversationEntry } | { kind: 'folder' } | null

/** My conversations: find, open, rename, pin, file, delete. */
export function ConversationList({ activeId, onChosen }: ConversationListProps) {
  const [query, setQuery] = useState('')
  const [folderId, setFolderId] = useState<string | null>(null)
  const [asked, setAsked] = useState<Asked>(null)
  const navigate = useNavigate()
  const list = useConversationList(query, folderId)
  const folders = list.data?.pages[0]?.folders ?? []
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  const pinned = items.filter((item) => item.pinned)
  const others = items.filter((item) => !item.pinned)

  const remove = async (conversation: ConversationEntry): Promise<void> => {
    const { conversation_id: id, title } = conversation
    const back = (): void => void navigate({ to: '/chat', search: { c: id } })
    if ((await conversationActions.remove(id, title, back)) && id === activeId)
      await navigate({ to: '/chat', search: { new: true } })
  }
  const createFolder = async (name: string): Promise<void> => {
    const { folder } = await call('POST /api/chat/folders', { body: { name } })
    await queryClient.invalidateQueries({ queryKey: ['conversations'] })
    setFolderId(folder.folder_id)
  }
  const rows = (entries: readonly ConversationEntry[]) =>
    entries.map((conversation) => (
      <ConversationItem
        key={conversation.conversation_id}
        conversation={conversation}
        folders={folders}
        active={conversation.conversation_id === activeId}
        onOpen={() => onChosen?.()}
        onRename={() => setAsked({ kind: 'rename', conversation })}
        onRemove={() => void remove(conversation)}
      />
    ))

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex items-center gap-1.5 p-3 pb-1">
        <label className="relative block min-w-0 flex-1">
          <span className="sr-only">{t('chat.search')}</span>
          <Search aria-hidden className="pointer-events-none absolute start-2.5 top-2.5 size-4 text-muted" />
          <input
            type="search"
            value={query}
            placeholder={t('chat.search')}
            onChange={(event) => setQuery(event.target.value)}
            className="h-9 w-full rounded-md border border-line bg-canvas ps-8.5 pe-2 hover:border-line-strong focus-visible:outline-offset-0 max-sm:text-[1rem]"
          />
        </label>
        <IconButton
          label={t('chat.new')}
          icon={SquarePen}
          onClick={() => {
            onChosen?.()
            void navigate({ to: '/chat', search: { new: true } })
          }}
        />
      </div>
      <div className="flex px-3 py-1">
        <FolderMenu
          folders={folders}
          selected={folderId}
          onSelect={setFolderId}
          onCreate={() => setAsked({ kind: 'folder' })}
          onDelete={(folder) => {
            setFolderId(null)
            void conversationActions.deleteFolder(folder.folder_id)
          }}
        />
      </div>
      <nav
        aria-label={t('chat.conversations')}
        onKeyDown={moveFocus}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-3"
      >
        {list.isPending && <SkeletonRows rows={6} className="h-11" />}
        {list.isError && (
          <ErrorNotice title={t('chat.list_failed')} error={list.error} onRetry={() => void list.refetch()} />
        )}
        {pinned.length > 0 && <h2 className="px-2.5 pt-1 pb-1 text-xs font-medium text-muted">{t('chat.pinned')}</h2>}
        <ul>{rows(pinned)}</ul>
        {pinned.length > 0 && others.length > 0 && (
          <h2 className="px-2.5 pt-3 pb-1 text-xs font-medium text-muted">{t('chat.others')}</h2>
        )}
        <ul>{rows(others)}</ul>
        {list.isSuccess && items.length === 0 && (
          <p className="px-2.5 py-4 text-muted">
            {query.trim() !== ''
              ? t('chat.list_no_match', { query: query.trim() })
              : t(folderId === null ? 'chat.list_empty' : 'chat.folder_empty')}
          </p>
        )}
        {list.hasNextPage && (
          <Button
            variant="ghost"
            size="sm"
            busy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
            className="mt-1 w-full"
          >
            {t('chat.list_more')}
          </Button>
        )}
      </nav>
      {asked?.kind === 'rename' && (
        <NameDialog
          title={t('chat.rename_title')}
          label={t('chat.title')}
          value={asked.conversation.title}
          maxLength={200}
          onClose={() => setAsked(null)}
          onSave={async (title) => {
            const params = { conversation_id: asked.conversation.conversation_id }
            await call('PATCH /api/chat/conversations/{conversation_id}', { params, body: { title } })
            await queryClient.invalidateQueries({ queryKey: ['conversations'] })
          }}
        />
      )}
      {asked?.kind === 'folder' && (
        <NameDialog
          title={t('chat.folder_new')}
          label={t('chat.folder_name')}
          value=""
          maxLength={80}
          onClose={() => setAsked(null)}
          onSave={createFolder}
        />
      )}
    </div>
  )
}

/** Arrow keys go from conversation to conversation; Tab also reaches their menus. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || !(event.target instanceof HTMLElement) || !event.target.matches('[data-conversation]')) return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-conversation]')]
  const next = links[links.indexOf(event.target) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
