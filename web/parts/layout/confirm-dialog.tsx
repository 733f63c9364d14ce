import type { ReactNode } from 'react'
import { t } from '../../text/i18n.ts'
import { Button } from '../controls/button.tsx'
import { Dialog } from './dialog.tsx'
import { useArmed } from '../controls/use-armed.ts'

interface ConfirmDialogProps {
  readonly title: string
  readonly text: ReactNode
  /** The action, as a verb. */
  readonly verb: string
  readonly danger?: boolean
  onConfirm(): void
  onClose(): void
}

/** Asks for confirmation before an action that stops or changes what others use. */
export function ConfirmDialog({ title, text, verb, danger = false, onConfirm, onClose }: ConfirmDialogProps) {
  const armed = useArmed()
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      size="sm"
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            disabled={!armed}
            onClick={() => {
              // Called first, because closing may undo the pending action.
              onConfirm()
              onClose()
            }}
          >
            {verb}
          </Button>
        </>
      }
    >
      {text}
    </Dialog>
  )
}
