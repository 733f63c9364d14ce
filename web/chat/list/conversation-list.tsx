import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../client/api.ts'
import { later, useLater } from '../../parts/later.ts'
import { t } from '../../text/i18n.ts'
import { conversationActions } from './conversation-actions.ts'
import { useDraggedConversation } from './conversation-drag.ts'
import { conversationEntries } from './conversation-entries.ts'
import { readNewestSoon } from './conversation-list-cache.ts'
import { ConversationRows } from './conversation-rows.tsx'
import { ConversationSearch } from './conversation-search.tsx'
import { FolderMenu } from './folder-menu.tsx'
import { ListMenu } from './list-menu.tsx'
import { type ConversationEntry, type Folder, useConversationList } from './use-conversation-list.ts'

const folderDropPart = later(() => import('./folder-drop.tsx'))
const BinList = lazy(async () => ({ default: (await import('./bin-list.tsx')).BinList }))
const ImportProgress = lazy(async () => ({ default: (await import('./import-progress.tsx')).ImportProgress }))
const HandoverDialog = lazy(async () => ({ default: (await import('../handover/handover-dialog.tsx')).HandoverDialog }))
const NameDialog = lazy(async () => ({ default: (await import('./name-dialog.tsx')).NameDialog }))

interface ConversationListProps {
  readonly activeId: string | null
  /** Called after a choice, for example to close a drawer. */
  onChosen?(): void
}

/** What a dialog asks a name for. */
interface Asked {
  readonly title: string
  readonly label: string
  readonly value: string
  readonly maxLength: number
  save(name: string): Promise<unknown>
}

/** The user's conversations: find, open, rename, pin, move, delete, restore, import and export. */
export function ConversationList({ activeId, onChosen }: ConversationListProps) {
  const [query, setQuery] = useState('')
  const [chosenFolder, setFolderId] = useState<string | null>(null)
  const [binOpen, setBinOpen] = useState(false)
  const [importing, setImporting] = useState(false)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [handing, setHanding] = useState<ConversationEntry | null>(null)
  const navigate = useNavigate()
  const [folders, setFolders] = useState<readonly Folder[]>([])
  // A folder that was deleted, here or elsewhere, no longer filters.
  const folderId = folders.some((folder) => folder.folder_id === chosenFolder) ? chosenFolder : null
  const list = useConversationList(query, folderId)
  if (list.folders !== folders && !list.pending) setFolders(list.folders)

  const dragged = useDraggedConversation()
  const drop = useLater(folderDropPart, { wanted: dragged !== null })

  const open = (c: string): void => void navigate({ to: '/chat', search: { c } })
  const remove = async ({ conversation_id: id, title }: ConversationEntry): Promise<void> => {
    if ((await conversationActions.remove(id, title, () => open(id))) && id === activeId)
      await navigate({ to: '/chat', search: { new: true } })
  }
  const askFolder = (save: (folderId: string) => unknown): void =>
    setAsked({
      title: t('chat.folder_new'),
      label: t('chat.folder_name'),
      value: '',
      maxLength: 80,
      save: async (name) => {
        const { folder } = await call('POST /api/chat/folders', { body: { name } })
        setFolders((before) => [...before, folder])
        await save(folder.folder_id)
      },
    })
  const entriesFor = (conversation: ConversationEntry) => {
    const params = { conversation_id: conversation.conversation_id }
    return conversationEntries(conversation, folders, {
      onRemove: () => void remove(conversation),
      onHandOver: () => setHanding(conversation),
      onNewFolder: () => askFolder((id) => conversationActions.file(conversation.conversation_id, id)),
      onRename: () =>
        setAsked({
          title: t('chat.rename_title'),
          label: t('chat.title'),
          value: conversation.title,
          maxLength: 200,
          save: (title) => call('PATCH /api/chat/conversations/{conversation_id}', { params, body: { title } }),
        }),
    })
  }
  const importFile = async (file: File): Promise<void> => {
    setImporting(true)
    const id = await conversationActions.importFile(file)
    setImporting(false)
    if (id === null) return
    onChosen?.()
    open(id)
  }
  if (binOpen) {
    return (
      <Suspense>
        <BinList onClose={() => setBinOpen(false)} />
      </Suspense>
    )
  }
  return (
    <div data-conversations className="flex h-full min-h-0 flex-col">
      <ConversationSearch
        query={query}
        onQuery={setQuery}
        onNew={() => {
          onChosen?.()
          void navigate({ to: '/chat', search: { new: true } })
        }}
      />
      <div className="flex items-center gap-1 px-3 py-1">
        <div className="flex min-w-0 flex-1">
          <FolderMenu
            folders={folders}
            selected={folderId}
            onSelect={setFolderId}
            onCreate={() => askFolder(setFolderId)}
            onRename={(folder) =>
              setAsked({
                title: t('chat.folder_rename'),
                label: t('chat.folder_name'),
                value: folder.name,
                maxLength: 80,
                save: (name) =>
                  call('PATCH /api/chat/folders/{folder_id}', {
                    params: { folder_id: folder.folder_id },
                    body: { name },
                  }),
              })
            }
            onDelete={(folder) => void conversationActions.deleteFolder(folder.folder_id)}
          />
        </div>
        <ListMenu onImport={(file) => void importFile(file)} onBin={() => setBinOpen(true)} />
      </div>
      {importing && (
        <Suspense>
          <ImportProgress />
        </Suspense>
      )}
      <div className="relative flex min-h-0 flex-1 flex-col">
        {dragged && drop && folders.length > 0 && (
          <drop.FolderDrop
            folders={folders}
            dragged={dragged}
            onFile={(id) => void conversationActions.file(dragged.conversation_id, id)}
          />
        )}
        <ConversationRows
          list={list}
          activeId={activeId}
          emptyText={emptyText(list.searched, folderId)}
          entriesFor={entriesFor}
          onOpen={() => onChosen?.()}
        />
      </div>
      {handing && (
        <Suspense>
          <HandoverDialog
            conversationId={handing.conversation_id}
            title={handing.title || t('chat.untitled')}
            onClose={() => setHanding(null)}
          />
        </Suspense>
      )}
      {asked && (
        <Suspense>
          <NameDialog
            title={asked.title}
            label={asked.label}
            value={asked.value}
            maxLength={asked.maxLength}
            onClose={() => setAsked(null)}
            onSave={async (name) => {
              await asked.save(name)
              readNewestSoon()
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

function emptyText(searched: string, folderId: string | null): string {
  if (searched !== '') return t('chat.list_no_match', { query: searched })
  return t(folderId === null ? 'chat.list_empty' : 'chat.folder_empty')
}
