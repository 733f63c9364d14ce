import { ChevronDown, FolderPen, FolderPlus, FolderX } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import type { Folder } from './use-conversation-list.ts'

interface FolderMenuProps {
  readonly folders: readonly Folder[]
  /** Null: all conversations. */
  readonly selected: string | null
  onSelect(folderId: string | null): void
  onCreate(): void
  onRename(folder: Folder): void
  onDelete(folder: Folder): void
}

/**
 * Chooses which conversations the list shows: all, or a folder's. Folders are created, renamed and deleted here too.
 */
export function FolderMenu({ folders, selected, onSelect, onCreate, onRename, onDelete }: FolderMenuProps) {
  const current = folders.find((folder) => folder.folder_id === selected)
  const entries: MenuEntry[] = [
    { label: t('chat.folder_all'), checked: selected === null, onSelect: () => onSelect(null) },
    ...folders.map((folder) => ({
      label: folder.name,
      checked: folder.folder_id === selected,
      onSelect: () => onSelect(folder.folder_id),
    })),
    'separator',
    { label: t('chat.folder_new'), icon: FolderPlus, onSelect: onCreate },
    ...(current
      ? [
          { label: t('chat.folder_rename'), icon: FolderPen, onSelect: () => onRename(current) },
          {
            label: t('chat.folder_delete', { name: current.name }),
            icon: FolderX,
            danger: true,
            onSelect: () => onDelete(current),
          },
        ]
      : []),
  ]
  return (
    <Menu
      entries={entries}
      trigger={
        <Button variant="ghost" size="sm" className="-ms-1 min-w-0 shrink! text-muted">
          <span className="truncate">{current?.name ?? t('chat.folder_all')}</span>
          <ChevronDown aria-hidden className="size-3.5" />
        </Button>
      }
    />
  )
}
