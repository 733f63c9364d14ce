import type { ReactNode } from 'react'
import { t } from '../i18n.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { useArmed } from '../parts/use-armed.ts'

interface ConfirmDialogProps {
  readonly title: string
  readonly text: ReactNode
  /** What happens, as a verb. */
  readonly verb: string
  readonly danger?: boolean
  onConfirm(): void
  onClose(): void
}

/** Asks before something that stops or changes what others use. */
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
              // First: closing may take back what was asked about.
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
