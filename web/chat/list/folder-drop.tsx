import { Folder as FolderIcon, FolderMinus } from 'lucide-react'
import { useState } from 'react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import type { ConversationEntry, Folder } from './use-conversation-list.ts'

interface FolderDropProps {
  readonly folders: readonly Folder[]
  readonly dragged: ConversationEntry
  /** Files the dragged conversation in this folder, or in none (null). */
  onFile(folderId: string | null): void
}

/** Folders to drop a dragged conversation on. (With keyboard or touch, its menu does the same.) */
export function FolderDrop({ folders, dragged, onFile }: FolderDropProps) {
  const [over, setOver] = useState<string | null>(null)
  const places = [
    ...folders.map((folder) => ({ id: folder.folder_id as string | null, name: folder.name })),
    ...(dragged.folder_id === null ? [] : [{ id: null, name: t('chat.folder_none') }]),
  ]
  return (
    <div className="absolute inset-x-2 top-0 z-10 max-h-[60%] animate-fade overflow-y-auto rounded-lg border border-line-strong bg-raised p-1 shadow-md">
      <p className="px-2 py-1 text-xs font-medium text-muted">{t('chat.folder_drop')}</p>
      {places.map(({ id, name }) => {
        const here = over === (id ?? '')
        const Icon = id === null ? FolderMinus : FolderIcon
        return (
          <div
            key={id ?? ''}
            data-drop-folder={name}
            onDragOver={(event) => {
              event.preventDefault()
              event.dataTransfer.dropEffect = 'move'
              setOver(id ?? '')
            }}
            onDragLeave={() => setOver(null)}
            onDrop={(event) => {
              event.preventDefault()
              setOver(null)
              if (id !== dragged.folder_id) onFile(id)
            }}
            className={classNames(
              'flex h-9 items-center gap-2 rounded-md px-2',
              here ? 'bg-accent-soft font-medium' : id === dragged.folder_id && 'text-muted',
            )}
          >
            <Icon aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="min-w-0 truncate">{name}</span>
          </div>
        )
      })}
    </div>
  )
}
