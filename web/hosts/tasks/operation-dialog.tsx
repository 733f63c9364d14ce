import { useState } from 'react'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { t } from '../../text/i18n.ts'
import type { ToolArguments } from './look-query.ts'
import { type FieldValues, filledArguments, isComplete, type Operation, type OperationField } from './operation.ts'

interface OperationDialogProps {
  readonly operation: Operation
  readonly busy: boolean
  onClose(): void
  onSend(args: ToolArguments): void
}

/** Asks for what an operation still needs. What it would do is seen on its card, before anything happens. */
export function OperationDialog({ operation, busy, onClose, onSend }: OperationDialogProps) {
  const { title, fields = [] } = operation
  const [values, setValues] = useState<FieldValues>(() =>
    Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial])),
  )
  const complete = isComplete(operation, values)
  const onSubmit = (): void => {
    if (complete && !busy) onSend(filledArguments(operation, values))
  }
  return (
    <FormDialog
      title={title}
      size="sm"
      onClose={onClose}
      onSubmit={onSubmit}
      submit={t('hosts.preview')}
      disabled={!complete}
      busy={busy}
    >
      <p className="text-muted">{t('hosts.preview_text')}</p>
      {fields.map((field, index) => (
        <Field
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          first={index === 0}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
    </FormDialog>
  )
}

interface FieldProps {
  readonly field: OperationField
  readonly value: string
  readonly first: boolean
  onChange(value: string): void
}

function Field({ field: { label, hint, kind, placeholder }, value, first, onChange }: FieldProps) {
  if (kind === 'check')
    return <CheckField label={label} hint={hint} checked={value !== ''} onChange={(on) => onChange(on ? 'yes' : '')} />
  const shared = { label, hint, value, onChange, placeholder, autoFocus: first, spellCheck: false }
  if (kind === 'lines') return <TextArea {...shared} rows={4} className="font-mono text-sm" />
  return (
    <TextField
      {...shared}
      autoComplete="off"
      autoCapitalize="none"
      inputMode={kind === 'number' ? 'numeric' : 'text'}
    />
  )
}
