import type { ReactNode } from 'react'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { useArmed } from '../../parts/controls/use-armed.ts'
import { useUserChange } from './use-user-change.ts'

interface ConfirmUserDialogProps<T> {
  readonly title: string
  /** The action, as a verb. */
  readonly verb: string
  readonly danger?: boolean
  /** Error heading: what failed. */
  readonly failed: string
  /** A required value is missing. */
  readonly incomplete?: boolean
  readonly run: () => Promise<T>
  readonly done?: string
  readonly children: ReactNode
  onDone?(answer: T): void
  onClose(): void
}

/** Explains a change to a user; stays open while it is made and if it fails. */
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
