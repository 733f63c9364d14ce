import { Ellipsis, Pause, Pencil, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../parts/controls/button.tsx'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { Menu, type MenuEntry } from '../parts/controls/menu.tsx'
import { ConfirmDialog } from '../parts/layout/confirm-dialog.tsx'
import { openOverlay } from '../shell/frame/overlay.ts'
import { t } from '../text/i18n.ts'
import { routineActions } from './routine-actions.ts'
import { type Routine, useRoutineChange } from './routines-query.ts'

/** Run now, and everything else that can be done with a routine. */
export function RoutineMenu({ routine, onRemoved }: { readonly routine: Routine; onRemoved?: () => void }) {
  const [removing, setRemoving] = useState(false)
  const change = useRoutineChange({ told: true })
  const { name, paused_by } = routine
  const entries: MenuEntry[] = [
    { label: t('routines.change'), icon: Pencil, onSelect: () => openOverlay({ kind: 'edit_routine', routine }) },
    ...(paused_by === null
      ? [{ label: t('routines.pause'), icon: Pause, onSelect: () => change.mutate(routineActions.pause(routine)) }]
      : []),
    ...(paused_by !== null && paused_by !== 'admin'
      ? [{ label: t('routines.resume'), icon: Play, onSelect: () => change.mutate(routineActions.resume(routine)) }]
      : []),
    'separator',
    { label: t('action.delete'), icon: Trash2, danger: true, onSelect: () => setRemoving(true) },
  ]
  return (
    <>
      <Button
        size="sm"
        icon={Play}
        busy={change.isPending}
        disabled={paused_by === 'admin'}
        onClick={() => change.mutate(routineActions.runNow(routine))}
      >
        {t('routines.run_now')}
        <span className="sr-only"> {name}</span>
      </Button>
      <Menu
        trigger={<IconButton label={t('routines.menu', { name })} icon={Ellipsis} size="sm" />}
        entries={entries}
        align="end"
      />
      {removing && (
        <ConfirmDialog
          title={t('routines.remove_title', { name })}
          text={t('routines.remove_text')}
          verb={t('action.delete')}
          danger
          onConfirm={() => change.mutate(routineActions.remove(routine, onRemoved))}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  )
}
