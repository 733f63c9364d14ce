import type { ReactNode } from 'react'
import { t } from '../../i18n.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { useArmed } from '../../parts/use-armed.ts'
import { useUserChange } from './use-user-change.ts'

interface ConfirmUserDialogProps<T> {
  readonly title: string
  /** What happens, as a verb. */
  readonly verb: string
  readonly danger?: boolean
  /** What did not work, when it does not. */
  readonly failed: string
  /** Something is still to be given. */
  readonly incomplete?: boolean
  readonly run: () => Promise<T>
  readonly done?: string
  readonly children: ReactNode
  onDone?(answer: T): void
  onClose(): void
}

/** Says what a change of a user means, and stays open while it is made and when it fails. */
export function ConfirmUserDialog<T>(props: ConfirmUserDialogProps<T>) {
  const { title, verb, danger = false, failed, incomplete = false, run, done, children, onDone, onClose } = props
  const armed = useArmed()
  const change = useUserChange<T>()
  const confirm = (): void =>
    change.mutate({
      run,
      ...(done === undefined ? {} : { done }),
      after: (answer) => {
        onClose()
        onDone?.(answer)
      },
    })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            disabled={!armed || incomplete}
            busy={change.isPending}
            onClick={confirm}
          >
            {verb}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {change.isError && <ErrorNotice title={failed} error={change.error} />}
        {children}
      </div>
    </Dialog>
  )
}
