import { Ellipsis, FolderInput, Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import { Link } from '@tanstack/react-router'
import { classNames } from '../class-names.ts'
import { formatRelative } from '../format.ts'
import { t } from '../i18n.ts'
import { IconButton } from '../parts/icon-button.tsx'
import { Menu, type MenuEntry } from '../parts/menu.tsx'
import { Status } from '../parts/status.tsx'
import { conversationActions } from './conversation-actions.ts'
import type { ConversationEntry, Folder } from './use-conversation-list.ts'

interface ConversationItemProps {
  readonly conversation: ConversationEntry
  readonly folders: readonly Folder[]
  readonly active: boolean
  onOpen(): void
  onRename(): void
  onRemove(): void
}

/** One line of the list: title, what runs in it, when it changed, and what can be done with it. */
export function ConversationItem({ conversation, folders, active, onOpen, onRename, onRemove }: ConversationItemProps) {
  const { conversation_id: id, pinned, folder_id: folderId } = conversation
  const entries: MenuEntry[] = [
    { label: t('chat.rename'), icon: Pencil, onSelect: onRename },
    {
      label: t(pinned ? 'chat.unpin' : 'chat.pin'),
      icon: pinned ? PinOff : Pin,
      onSelect: () => void conversationActions.pin(id, !pinned),
    },
    ...folderEntries(id, folderId, folders),
    'separator',
    { label: t('action.delete'), icon: Trash2, danger: true, onSelect: onRemove },
  ]
  return (
    <li
      className={classNames(
        'group/item relative rounded-md',
        active ? 'bg-accent-soft' : 'hover:bg-hover focus-within:bg-hover',
      )}
    >
      <Link
        to="/chat"
        search={{ c: id }}
        aria-current={active ? 'page' : undefined}
        onClick={onOpen}
        data-conversation
        className="block rounded-md py-1.5 ps-2.5 pe-9 focus-visible:-outline-offset-2"
      >
        <span className="flex items-center gap-1.5">
          {conversation.active_run && <RunDot status={conversation.active_run.status} />}
          <span className={classNames('min-w-0 flex-1 truncate', active && 'font-medium')}>{conversation.title}</span>
        </span>
        {conversation.snippet !== null && conversation.snippet !== '' && (
          <span className="line-clamp-2 text-sm break-words text-muted">{conversation.snippet}</span>
        )}
        <span className="block truncate text-xs text-muted">{formatRelative(conversation.updated_at)}</span>
      </Link>
      <span className="absolute end-1 top-1.5 opacity-0 group-focus-within/item:opacity-100 group-hover/item:opacity-100 has-aria-expanded:opacity-100 pointer-coarse:opacity-100">
        <Menu
          trigger={
            <IconButton label={t('chat.conversation_menu', { title: conversation.title })} icon={Ellipsis} size="sm" />
          }
          entries={entries}
          align="end"
        />
      </span>
    </li>
  )
}

function RunDot({ status }: { readonly status: string }) {
  return status === 'waiting_approval' ? (
    <Status tone="warn" label={t('chat.run_waiting')} iconOnly />
  ) : (
    <Status tone="active" label={t('chat.run_active')} iconOnly moving />
  )
}

function folderEntries(id: string, folderId: string | null, folders: readonly Folder[]): MenuEntry[] {
  if (folders.length === 0) return []
  return [
    'separator',
    { heading: t('chat.folder') },
    ...folders.map((folder) => ({
      label: folder.name,
      icon: FolderInput,
      checked: folder.folder_id === folderId,
      onSelect: () => void conversationActions.file(id, folder.folder_id === folderId ? null : folder.folder_id),
    })),
  ]
}
