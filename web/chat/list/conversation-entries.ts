import { FileDown, FileJson, FolderInput, FolderPlus, Forward, Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import type { MenuEntry } from '../../parts/controls/menu.tsx'
import { conversationActions } from './conversation-actions.ts'
import type { ConversationEntry, Folder } from './use-conversation-list.ts'

interface Asking {
  onRename(): void
  onRemove(): void
  onHandOver(): void
  /** Moves the conversation to a new folder. */
  onNewFolder(): void
}

/** The menu of a conversation. */
export function conversationEntries(
  conversation: ConversationEntry,
  folders: readonly Folder[],
  { onRename, onRemove, onHandOver, onNewFolder }: Asking,
): readonly MenuEntry[] {
  const { conversation_id: id, pinned, folder_id: folderId } = conversation
  return [
    { label: t('chat.rename'), icon: Pencil, onSelect: onRename },
    {
      label: t(pinned ? 'chat.unpin' : 'chat.pin'),
      icon: pinned ? PinOff : Pin,
      onSelect: () => void conversationActions.pin(id, !pinned),
    },
    'separator',
    { heading: t('chat.folder') },
    ...folders.map((folder) => ({
      label: folder.name,
      icon: FolderInput,
      checked: folder.folder_id === folderId,
      onSelect: () => void conversationActions.file(id, folder.folder_id === folderId ? null : folder.folder_id),
    })),
    { label: t('chat.folder_new_here'), icon: FolderPlus, onSelect: onNewFolder },
    'separator',
    {
      label: t('chat.export_markdown'),
      icon: FileDown,
      onSelect: () => conversationActions.exportFile(id, 'markdown'),
    },
    { label: t('chat.export_json'), icon: FileJson, onSelect: () => conversationActions.exportFile(id, 'json') },
    { label: t('handover.action'), icon: Forward, onSelect: onHandOver },
    'separator',
    { label: t('action.delete'), icon: Trash2, danger: true, onSelect: onRemove },
  ]
}
