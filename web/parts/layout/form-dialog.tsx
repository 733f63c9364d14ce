import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { t } from '../../text/i18n.ts'
import { Button } from '../controls/button.tsx'
import { Dialog } from './dialog.tsx'
import type { DialogProps } from './dialog-box.tsx'

interface FormDialogProps extends Pick<DialogProps, 'title' | 'description' | 'size'> {
  /** On the button that submits; default: "Save". */
  readonly submit?: string
  readonly icon?: LucideIcon
  readonly danger?: boolean
  /** On the button that closes; default: "Cancel". */
  readonly cancel?: string
  readonly busy?: boolean
  readonly disabled?: boolean
  /** The browser itself checks what its fields require. */
  readonly checkedByBrowser?: boolean
  readonly className?: string
  onSubmit(): void
  onClose(): void
  readonly children: ReactNode
}

/** A dialog that is a form: its fields, and the buttons that submit and close it. */
export function FormDialog({
  submit = t('action.save'),
  icon,
  danger = false,
  cancel = t('action.cancel'),
  busy,
  disabled,
  checkedByBrowser = false,
  className = 'space-y-4',
  onSubmit,
  onClose,
  children,
  ...dialog
}: FormDialogProps) {
  const formId = useId()
  return (
    <Dialog
      {...dialog}
      open
      onOpenChange={(open) => open || onClose()}
      actions={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button
            type="submit"
            form={formId}
            variant={danger ? 'danger' : 'primary'}
            icon={icon}
            busy={busy}
            disabled={disabled}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate={!checkedByBrowser}
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
        className={className}
      >
        {children}
      </form>
    </Dialog>
  )
}
