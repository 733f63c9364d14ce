import { useState } from 'react'
import { explainError } from '../../client/explain-error.ts'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
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
  const onSubmit = (): void => {
    if (name.trim() !== '' && !busy) void save()
  }
  return (
    <FormDialog title={title} size="sm" onClose={onClose} onSubmit={onSubmit} busy={busy} disabled={name.trim() === ''}>
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
    </FormDialog>
  )
}
