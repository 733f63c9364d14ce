import { Folder, FolderX, Plus } from 'lucide-react'
import { type DragEvent, type ReactNode, useId, useState } from 'react'
import type { Command, CommandFolder } from '../../contract/commands.ts'
import { classNames } from '../parts/class-names.ts'
import { openOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { commandActions } from './command-actions.ts'
import { COMMAND_DRAG_TYPE } from './command-row.tsx'

interface CommandGroupProps {
  /** Null: the commands without a folder. */
  readonly folder: CommandFolder | null
  readonly members: readonly Command[]
  /** The rows. */
  readonly children: ReactNode
}

/** A command folder with its heading; a command can be dropped on it. */
export function CommandGroup({ folder, members, children }: CommandGroupProps) {
  const id = useId()
  const [over, setOver] = useState(false)
  const accepts = (event: DragEvent): boolean => event.dataTransfer.types.includes(COMMAND_DRAG_TYPE)
  return (
    <section
      aria-labelledby={id}
      onDragOver={(event) => {
        if (!accepts(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={(event) => {
        setOver(false)
        if (!accepts(event)) return
        event.preventDefault()
        const dropped = event.dataTransfer.getData(COMMAND_DRAG_TYPE)
        const target = folder?.folder_id ?? null
        if (!members.some((command) => command.command_id === dropped)) void commandActions.file(dropped, target)
      }}
      className={classNames('rounded-lg', over && 'bg-accent-soft outline-2 outline-accent')}
    >
      <div className="flex min-h-8 items-center gap-2 px-2.5 pt-1 text-muted">
        {folder !== null && <Folder aria-hidden className="size-3.5 shrink-0" />}
        <h3 id={id} className="min-w-0 flex-1 truncate text-sm font-medium">
          {folder?.name ?? t('commands.no_folder')}
        </h3>
        {folder !== null && (
          <>
            <IconButton
              label={t('commands.new_in', { name: folder.name })}
              icon={Plus}
              size="sm"
              onClick={() =>
                openOverlay({ kind: 'edit_command', command: null, folderId: folder.folder_id, back: true })
              }
            />
            <IconButton
              label={t('commands.folder_delete', { name: folder.name })}
              icon={FolderX}
              size="sm"
              className="-me-1.5"
              onClick={() => void commandActions.removeFolder(folder, members)}
            />
          </>
        )}
      </div>
      {members.length === 0 ? <p className="px-2.5 pb-2 text-sm text-muted">{t('commands.folder_empty')}</p> : children}
    </section>
  )
}
