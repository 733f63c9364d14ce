import { CalendarClock, Ellipsis, FolderInput, Pencil, Play, Trash2 } from 'lucide-react'
import type { DragEvent } from 'react'
import type { Command, CommandFolder } from '../../contract/commands.ts'
import { fillPrompt, parsePrompt } from '../../contract/variables.ts'
import { openOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../parts/controls/menu.tsx'
import { commandActions } from './command-actions.ts'
import { lastValues } from './last-values.ts'

/** Data type of a dragged command's id, one that no other page accepts. */
export const COMMAND_DRAG_TYPE = 'application/x-reeve-command'

interface CommandRowProps {
  readonly command: Command
  readonly folders: readonly CommandFolder[]
  onRun(): void
}

/** One command in the list: run, edit, move, delete. */
export function CommandRow({ command, folders, onRun }: CommandRowProps) {
  const { command_id: id, name, prompt, run_mode: mode, folder_id: folderId } = command
  const edit = (): void => openOverlay({ kind: 'edit_command', command, back: true })
  const entries: MenuEntry[] = [
    { label: t('commands.edit_action'), icon: Pencil, onSelect: edit },
    {
      label: t('routines.every'),
      icon: CalendarClock,
      onSelect: () => openOverlay({ kind: 'edit_routine', routine: null, name, text: frozen(command) }),
    },
    ...moveEntries(id, folderId, folders),
    'separator',
    { label: t('action.delete'), icon: Trash2, danger: true, onSelect: () => void commandActions.remove(command) },
  ]
  return (
    <li
      draggable={folders.length > 0}
      onDragStart={(event: DragEvent) => {
        event.dataTransfer.setData(COMMAND_DRAG_TYPE, id)
        event.dataTransfer.effectAllowed = 'move'
      }}
      className="flex items-center gap-1 rounded-md pe-1 focus-within:bg-hover hover:bg-hover"
    >
      <button
        type="button"
        onClick={edit}
        className="min-w-0 flex-1 rounded-md px-2.5 py-1.5 text-left focus-visible:-outline-offset-2"
      >
        <span className="flex items-baseline gap-2">
          <span className="min-w-0 truncate font-medium">{name}</span>
          <span className="shrink-0 text-xs text-muted">{t(`commands.mode_${mode}`)}</span>
        </span>
        <span className="block truncate text-sm text-muted">{prompt.trim()}</span>
      </button>
      <IconButton label={t('commands.run', { name })} icon={Play} size="sm" onClick={onRun} />
      <Menu
        align="end"
        entries={entries}
        trigger={<IconButton label={t('commands.menu', { name })} icon={Ellipsis} size="sm" />}
      />
    </li>
  )
}

/** Its prompt with the values that were last given. */
function frozen({ command_id, prompt }: Command): string {
  const parsed = parsePrompt(prompt)
  const known = [...lastValues(command_id, parsed.variables)].filter(([, value]) => value !== '')
  return parsed.variables.length === 0 || known.length < parsed.variables.length
    ? prompt
    : fillPrompt(parsed, new Map(known))
}

function moveEntries(id: string, folderId: string | null, folders: readonly CommandFolder[]): MenuEntry[] {
  if (folders.length === 0) return []
  const entry = (label: string, target: string | null): MenuEntry => ({
    label,
    icon: FolderInput,
    checked: folderId === target,
    onSelect: () => void commandActions.file(id, target),
  })
  return [
    'separator',
    { heading: t('commands.folder') },
    entry(t('commands.no_folder'), null),
    ...folders.map((folder) => entry(folder.name, folder.folder_id)),
  ]
}
