import { type SubmitEvent, useId, useState } from 'react'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'

interface NameDialogProps {
  readonly title: string
  readonly label: string
  readonly value: string
  readonly maxLength: number
  /** Rejects with the reason a name was refused, which is shown at the field. */
  onSave(name: string): Promise<void>
  onClose(): void
}

/** Asks for one name. */
export function NameDialog({ title, label, value, maxLength, onSave, onClose }: NameDialogProps) {
  const [name, setName] = useState(value)
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const formId = useId()
  const save = async (): Promise<void> => {
    setBusy(true)
    try {
      await onSave(name.trim())
      onClose()
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (name.trim() !== '' && !busy) void save()
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={title}
      size="sm"
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={busy} disabled={name.trim() === ''}>
            {t('action.save')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={onSubmit}>
        <TextField
          label={label}
          value={name}
          onChange={setName}
          maxLength={maxLength}
          error={error === null ? null : explainError(error)}
          autoComplete="off"
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
        />
      </form>
    </Dialog>
  )
}
